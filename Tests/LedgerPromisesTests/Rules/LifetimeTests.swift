import LedgerPromises
import PromiseLedgerTesting
import Testing

/// Hard rule 10: finished objects are released.
@Suite(.timeLimit(.minutes(10))) struct LifetimeTests {
  /// An object whose release can be seen, captured by callbacks and carried as a value.
  private final class Witness: Sendable {}

  private final class WeakWitness: Sendable {
    private weak let witness: Witness?

    init(_ witness: Witness) {
      self.witness = witness
    }

    var isGone: Bool { witness == nil }
  }

  enum Ending: CaseIterable {
    case fulfilled, rejected, cancelled, dropped
  }

  @Test(arguments: Ending.allCases)
  func aSettledChainReleasesItsCallbacksAndValues(_ ending: Ending) async throws {
    DiagnosticRecorder.install()
    let manual = ManualPromiseExecutor()
    let weakWitnesses = settleChain(ending, on: manual.executor)
    manual.drain()
    for (name, witness) in weakWitnesses { #expect(witness.isGone, "\(name) is still there") }
  }

  private func settleChain(
    _ ending: Ending, on executor: PromiseExecutor
  ) -> [(String, WeakWitness)] {
    let callback = Witness()
    let value = Witness()
    let handler = Witness()
    var (promise, resolver): (Promise<Witness>, Resolver<Witness>?) = Promise.make(on: executor)
    resolver?.onCancel { _ in withExtendedLifetime(handler) {} }
    for _ in 0..<10 {
      promise = promise.map { value in withExtendedLifetime(callback) { value } }
        .recover { error in try withExtendedLifetime(callback) { throw error } }
        .then { .value($0) }
        .ensure { withExtendedLifetime(callback) {} }
    }
    Promise.all([promise, promise], on: executor).catch { _ in withExtendedLifetime(callback) {} }
    Promise.race([promise, promise], on: executor).catch { _ in }
    Promise.any([promise, promise], on: executor).catch { _ in }
    switch ending {
    case .fulfilled: resolver?.fulfill(value)
    case .rejected: resolver?.reject(TestError())
    case .cancelled: resolver?.cancel()
    case .dropped: resolver = nil
    }
    return [
      ("callback", WeakWitness(callback)), ("value", WeakWitness(value)),
      ("handler", WeakWitness(handler)),
    ]
  }

  @Test func detachedWaitersAreSweptOut() async throws {
    let (promise, resolver) = Promise.make(of: Int.self)
    for _ in 0..<1_000 {
      let task = Task { try await promise.value }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    resolver.fulfill(1)
    #expect(try await promise.value == 1)
  }

  @Test func aSettledPromiseLetsGoOfItsToken() {
    let token = CancellationToken()
    let (promise, resolver) = Promise.make(of: Int.self)
    promise.cancelled(by: token)
    #expect(token.count == 1)
    resolver.fulfill(1)
    #expect(token.count == 0)
  }

  @Test func aLazyPromiseThatIsReleasedUnobservedLetsGoOfItsToken() {
    let token = CancellationToken()
    do {
      let promise = Promise<Int>.lazy { _ in }.cancelled(by: token)
      #expect(promise.isPending)
      #expect(token.count == 1)
    }
    #expect(token.count == 0)
  }

  @Test func aSettledPromiseReleasesItsTimer() async {
    let clock = ManualClock()
    let (promise, resolver) = Promise.make(of: Int.self)
    let limited = promise.timeout(.seconds(5), clock: clock)
    await clock.sleepers(atLeast: 1)
    resolver.fulfill(1)
    _ = try? await limited.value
    await clock.sleepers(atMost: 0)
    #expect(clock.sleeperCount == 0)
  }
}
