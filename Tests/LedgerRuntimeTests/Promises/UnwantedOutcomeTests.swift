import LedgerPromises
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// An outcome that no observer takes any more stays in the ledger, unconsumed.
@Suite(.timeLimit(.minutes(5))) final class UnwantedOutcomeTests: Sendable {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  /// One way to observe the promise of a durable one, and to lose interest before its outcome comes.
  struct Way: Sendable, CustomTestStringConvertible {
    let name: String
    /// - Parameters:
    ///   - promise: The promise.
    ///   - isWaiting: Waits until the promise waits for its outcome.
    let loseInterest:
      @Sendable (_ promise: Promise<Int>, _ isWaiting: () async throws -> Void) async throws -> Void

    var testDescription: String { name }
  }

  static let ways: [Way] = timed + chosen + cancelled + ended

  static let timed = [
    Way(name: "a timeout") { promise, isWaiting in
      let clock = ManualClock()
      let limited = promise.timeout(.seconds(1), clock: clock)
      limited.catch { _ in }
      try await isWaiting()
      clock.advance(by: .seconds(1))
      _ = try await limited.settlement()
    },
    Way(name: "a timeout behind other operators") { promise, isWaiting in
      let clock = ManualClock()
      let limited = promise.map { $0 + 1 }.get { _ in }.then { Promise.value($0) }
        .timeout(.seconds(1), clock: clock)
      limited.done { _ in }
      try await isWaiting()
      clock.advance(by: .seconds(1))
      _ = try await limited.settlement()
    },
    Way(name: "the example of the article") { promise, isWaiting in
      let clock = ManualClock()
      let friends = Promise.make(of: [String].self)
      let end = Promise.all(promise, friends.promise)
        .timeout(.seconds(30), clock: clock)
        .done { _, _ in }
        .catch { _ in }
      try await isWaiting()
      clock.advance(by: .seconds(30))
      _ = await end.value
      friends.resolver.fulfill([])
    },
    Way(name: "a promise that was returned into another one") { promise, isWaiting in
      let clock = ManualClock()
      let limited = Promise.value(0).then { _ in promise.map { $0 } }
        .timeout(.seconds(1), clock: clock)
      limited.catch { _ in }
      try await isWaiting()
      clock.advance(by: .seconds(1))
      _ = try await limited.settlement()
    },
  ]

  static let chosen = [
    Way(name: "a lost race") { promise, isWaiting in
      let other = Promise.make(of: Int.self)
      let race = Promise.race([promise, other.promise])
      race.done { _ in }
      try await isWaiting()
      other.resolver.fulfill(0)
      _ = try await race.value
    },
    Way(name: "any of several") { promise, isWaiting in
      let other = Promise.make(of: Int.self)
      let any = Promise.any([promise, other.promise])
      any.done { _ in }
      try await isWaiting()
      other.resolver.fulfill(0)
      _ = try await any.value
    },
    Way(name: "all, after one failed") { promise, isWaiting in
      let other = Promise.make(of: Int.self)
      let all = Promise.all([promise, other.promise])
      all.catch { _ in }
      try await isWaiting()
      other.resolver.cancel()
      _ = try await all.settlement()
    },
    Way(name: "a limited run, after one failed") { promise, isWaiting in
      let other = Promise.make(of: Int.self)
      let all = Promise.mapInParallel([promise, other.promise], limit: 2) { $0 }
      all.catch { _ in }
      try await isWaiting()
      other.resolver.cancel()
      _ = try await all.settlement()
    },
  ]

  static let cancelled = [
    Way(name: "the end of a chain is cancelled") { promise, isWaiting in
      let end = promise.map { $0 + 1 }.done { _ in Issue.record("the callback ran") }
      try await isWaiting()
      end.cancel()
    },
    Way(name: "a token at the end of a chain") { promise, isWaiting in
      let token = CancellationToken()
      promise.map { $0 + 1 }.done { _ in }
        .ensure {}
        .cancelled(by: token)
      try await isWaiting()
      token.cancel()
    },
    Way(name: "a cancelled task that awaits the value") { promise, isWaiting in
      let task = Task { try await promise.value }
      try await isWaiting()
      task.cancel()
      _ = await task.result
    },
    Way(name: "a cancelled task that awaits the end of a chain") { promise, isWaiting in
      let task = Task { try await promise.map { $0 + 1 }.value }
      try await isWaiting()
      task.cancel()
      _ = await task.result
    },
    Way(name: "a retry that is cancelled") { promise, isWaiting in
      let (made, resolver) = Promise.make(of: Promise<Int>.self)
      let retried = Promise.retry(attempts: 2) { _ in
        let attempt = promise.map { $0 }
        resolver.fulfill(attempt)
        return attempt
      }
      try await isWaiting()
      retried.cancel()
      // The cancellation reaches the attempt as soon as the retry waits for it, which may be after the attempt began
      // to wait for the outcome.
      guard case .cancelled = try await made.value.settlement() else {
        Issue.record("the attempt was not cancelled")
        return
      }
    },
  ]

  static let ended = [
    Way(name: "an executor that is gone") { promise, isWaiting in
      try await observe(promise, isWaiting)
    },
    Way(name: "an iteration that is left early") { promise, isWaiting in
      let first = Promise.make(of: Int.self)
      let task = Task {
        for await completion in [promise, first.promise].inCompletionOrder() {
          return completion.index
        }
        return -1
      }
      try await isWaiting()
      first.resolver.fulfill(0)
      #expect(await task.value == 1)
    },
    Way(name: "a blocking wait that ran out of time") { promise, isWaiting in
      let thread = Task.detached { block(on: promise) }
      try await isWaiting()
      await thread.value
    },
  ]

  // MARK: - Tests

  @Test(arguments: ways) func theOutcomeStaysUnconsumed(_ way: Way) async throws {
    let app = try await temporary.open(as: .app)
    let helper = try await temporary.open(as: .appExtension)
    let durable = try await app.createPromise(of: Int.self)
    try await way.loseInterest(durable.promise) { try await isAwaited(durable, in: app) }
    try await helper.promise(id: durable.id, of: Int.self).fulfill(7)
    try await isUnused(durable, in: app)
    #expect(try await durable.record?.status == .resolved)
    await app.close()
    let next = try await temporary.open(as: .app)
    #expect(try await next.stalePromises().map(\.id) == [durable.id])
    #expect(try await next.promise(id: durable.id, of: Int.self).consume() == 7)
    await next.close()
    await helper.close()
  }

  @Test(arguments: ways) func thePromiseDeliversToALaterObserver(_ way: Way) async throws {
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let promise = durable.promise
    try await way.loseInterest(promise) { try await isAwaited(durable, in: app) }
    try await durable.fulfill(7)
    try await isUnused(durable, in: app)
    #expect(promise.isPending)
    #expect(try await promise.value == 7)
    #expect(try await durable.record?.status == .consumed)
    #expect(try await durable.promise.value == 7)
    await app.close()
  }
}

/// With an executor that lives no longer than this call.
private func observe(
  _ promise: Promise<Int>, _ isWaiting: () async throws -> Void
) async throws {
  let manual = ManualPromiseExecutor()
  promise.done(on: manual.executor) { _ in Issue.record("the callback ran") }
  try await isWaiting()
  withExtendedLifetime(manual) {}
}

private func block(on promise: Promise<Int>) {
  #expect(throws: PromiseError.self) { try promise.wait(timeout: .milliseconds(1)) }
}

/// Waits until this process neither waits for the promise nor consumes it.
func isUnused<Value>(_ promise: DurablePromise<Value>, in ledger: Ledger) async throws {
  try await become { !ledger.engine.replica.isAwaited(promise.id) }
}
