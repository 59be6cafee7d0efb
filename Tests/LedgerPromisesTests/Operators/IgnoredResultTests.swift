import LedgerPromises
import PromiseLedgerTesting
import Testing

/// Results that may be ignored, because the libraries that people come from let them. A warning is an error
/// in this target, so most of this test is that it compiles.
@Suite(.timeLimit(.minutes(10))) struct IgnoredResultTests {
  @Test func resultsOfOperatorsMayBeIgnored() async throws {
    let uses = Recorder<Int>()
    let promise = Promise.value(1)
    promise.map { uses.record($0) }
    promise.then { Promise.value(uses.record($0)) }
    promise.get { uses.record($0) }
    promise.done { uses.record($0) }
    promise.validate { $0 == 1 }
    promise.recover { _ in 0 }
    promise.recoverThen { _ in .value(0) }
    promise.recoverAlways { _ in 0 }
    promise.onError { _ in }
    promise.catch { _ in }
    promise.ensure {}
    promise.ensureAsync { .value(()) }
    promise.timeout(.seconds(1), clock: TestClock.still)
    let guarantee = Guarantee.value(1)
    guarantee.map { uses.record($0) }
    guarantee.then { Promise.value(uses.record($0)) }
    guarantee.get { uses.record($0) }
    guarantee.done { uses.record($0) }
    await uses.events(atLeast: 8)
  }

  @Test func resultsOnTheMainActorMayBeIgnored() async throws {
    let uses = Recorder<Int>()
    let promise = Promise.value(1)
    promise.map(on: .main) { uses.record($0) }
    promise.then(on: .main) { Promise.value(uses.record($0)) }
    promise.get(on: .main) { uses.record($0) }
    promise.done(on: .main) { uses.record($0) }
    promise.validate(on: .main) { $0 == 1 }
    promise.recover(on: .main) { _ in 0 }
    promise.recoverThen(on: .main) { _ in .value(0) }
    promise.recoverAlways(on: .main) { _ in 0 }
    promise.onError(on: .main) { _ in }
    let guarantee = Guarantee.value(1)
    guarantee.map(on: .main) { uses.record($0) }
    guarantee.then(on: .main) { Promise.value(uses.record($0)) }
    guarantee.get(on: .main) { uses.record($0) }
    await uses.events(atLeast: 7)
  }

  @Test func aRunOfARecipeMayBeIgnored() async throws {
    let uses = Recorder<Int>()
    let recipe = ColdPromise.value(1).then { value in
      uses.record(value)
      return value
    }
    recipe.start()
    try await recipe.execute()
    await uses.events(atLeast: 2)
  }

  @Test func anErrorBehindAnIgnoredResultIsReported() async {
    DiagnosticRecorder.install()
    let line = UInt(#line + 2)
    do {
      Promise<Int>.rejected(TestError(1)).map { $0 }
    }
    await barrier(.default)
    #expect(DiagnosticRecorder.kinds(line: line) == ["unhandledRejection"])
  }
}
