import Dispatch
import LedgerPromises
import Testing

/// Hard rules 6, 7 and 9: cycles, kinds and optionals.
@Suite(.timeLimit(.minutes(10))) struct CycleTests {
  @Test(arguments: [2, 3, 10, 1_000])
  func aCycleOfPromisesIsAnError(_ length: Int) async throws {
    DiagnosticRecorder.install()
    let pairs = (0..<length).map { _ in Promise.make(of: Int.self) }
    for index in 0..<length {
      pairs[index].resolver.resolve(with: pairs[(index + 1) % length].promise)
    }
    for pair in pairs {
      #expect(code(try await pair.promise.settlement()) == .resolvedWithItself)
    }
  }

  @Test func aCycleClosedByTwoThreadsAtOnceIsAnError() async throws {
    DiagnosticRecorder.install()
    for _ in 0..<2_000 {
      let first = Promise.make(of: Int.self)
      let second = Promise.make(of: Int.self)
      DispatchQueue.global().async { first.resolver.resolve(with: second.promise) }
      second.resolver.resolve(with: first.promise)
      #expect(code(try await first.promise.settlement()) == .resolvedWithItself)
      #expect(code(try await second.promise.settlement()) == .resolvedWithItself)
    }
  }

  @Test func fulfillingWithAnErrorValueFulfils() async throws {
    let (promise, resolver) = Promise.make(of: (any Error).self)
    resolver.fulfill(TestError(1))
    let outcome = try await promise.map { $0 }.settlement()
    #expect(outcome.isFulfilled)
    let results = try await Promise.value(Result<Int, TestError>.failure(TestError(1))).value
    #expect(results == .failure(TestError(1)))
  }

  @Test func optionalValuesSurvive() async throws {
    let promise = Promise<Int?>.value(nil)
    #expect(promise.outcome == .fulfilled(nil))
    #expect(try await promise.value == nil)
    #expect(try await Promise.all([promise, .value(1)]).value == [nil, 1])
    #expect(try await promise.then { Promise<Int??>.value($0) }.value == .some(.none))
  }
}
