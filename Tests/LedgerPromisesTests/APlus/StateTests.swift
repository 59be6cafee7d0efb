import LedgerPromises
import Testing

/// Promises/A+ 2.1: states.
@Suite(.sharedLedger, .timeLimit(.minutes(10))) struct APlusStateTests {
  @Test(arguments: Axis.all)
  func rule2_1_1pendingMayBecomeFulfilledOrRejected(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let fulfilled = try await axis.subject(.fulfilled(1), on: executor)
    let rejected = try await axis.subject(Outcome<Int>.rejected(TestError(1)), on: executor)
    if axis.timing != .already {
      #expect(fulfilled.promise.isPending)
      #expect(rejected.promise.isPending)
    }
    fulfilled.settle()
    rejected.settle()
    #expect(try await fulfilled.promise.settlement() == .fulfilled(1))
    #expect(testError(try await rejected.promise.settlement()) == TestError(1))
  }

  @Test(arguments: Axis.all)
  func rule2_1_2fulfilledNeverBecomesAnythingElse(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<Outcome<Int>>()
    let (promise, resolver) = Promise.make(of: Int.self, on: executor)
    let source = try await axis.subject(.fulfilled(1), on: executor)
    _ = promise.tap { seen.record($0) }
    resolver.resolve(with: source.promise)
    source.settle()
    #expect(try await promise.settlement() == .fulfilled(1))
    #expect(!resolver.reject(TestError()))
    #expect(!resolver.fulfill(2))
    #expect(!resolver.cancel())
    #expect(!promise.cancel())
    await barrier(executor)
    #expect(await seen.events(atLeast: 1) == [.fulfilled(1)])
    #expect(promise.outcome == .fulfilled(1))
  }

  @Test(arguments: Axis.all)
  func rule2_1_3rejectedNeverBecomesAnythingElse(_ axis: Axis) async throws {
    let executor = axis.makeExecutor()
    let seen = Recorder<TestError?>()
    let (promise, resolver) = Promise.make(of: Int.self, on: executor)
    let source = try await axis.subject(Outcome<Int>.rejected(TestError(1)), on: executor)
    promise.tap { seen.record(testError($0)) }.catch { _ in }
    resolver.resolve(with: source.promise)
    source.settle()
    #expect(testError(try await promise.settlement()) == TestError(1))
    #expect(!resolver.fulfill(2))
    #expect(!resolver.reject(TestError(2)))
    #expect(!resolver.cancel())
    await barrier(executor)
    #expect(await seen.events(atLeast: 1) == [TestError(1)])
    #expect(testError(promise.outcome) == TestError(1))
  }
}
