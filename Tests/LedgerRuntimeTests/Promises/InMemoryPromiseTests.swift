import LedgerPromises
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// A durable promise as one in memory.
@Suite(.timeLimit(.minutes(5))) final class InMemoryPromiseTests: Sendable {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func openBoth() async throws -> (app: Ledger, helper: Ledger) {
    (try await temporary.open(as: .app), try await temporary.open(as: .appExtension))
  }

  @Test func operatorsGetTheValueAndTheDeliveryConsumes() async throws {
    let (app, helper) = try await openBoth()
    let durable = try await app.createPromise(of: Int.self)
    let text = Promise.all(durable.promise, Promise.value(1)).map { "\($0 + $1)" }
    try await helper.promise(id: durable.id, of: Int.self).fulfill(41)
    #expect(try await text.value == "42")
    #expect(try await durable.record?.status == .consumed)
    #expect(try await durable.record?.consumed?.session == app.session)
    await close(app, helper)
  }

  @Test func everyPromiseOfTheSessionGetsTheOutcome() async throws {
    let (app, helper) = try await openBoth()
    let durable = try await app.createPromise(of: Int.self)
    let early = [durable.promise, durable.promise].map { $0.map { $0 + 1 } }
    try await durable.fulfill(6)
    #expect(try await Promise.all(early).value == [7, 7])
    // Attached after the delivery, and again.
    let late = durable.promise
    #expect(try await late.value == 6)
    #expect(try await late.map { $0 }.value == 6)
    await close(app, helper)
  }

  @Test func nothingIsConsumedWithoutAnObserver() async throws {
    let (app, helper) = try await openBoth()
    let durable = try await app.createPromise(of: Int.self)
    let promise = durable.promise
    try await durable.fulfill(1)
    #expect(promise.isPending)
    // Another session of the app can still have it.
    let other = try await temporary.open(as: .app)
    #expect(try await other.promise(id: durable.id, of: Int.self).consume() == 1)
    await expect(promise, throws: .alreadyConsumed)
    await close(app, helper, other)
  }

  @Test func rejectionIsAPromiseFailure() async throws {
    let (app, helper) = try await openBoth()
    let durable = try await app.createPromise(of: Int.self)
    let stored = StoredError(domain: "chat", code: 403, message: "no")
    let outcome = durable.promise.tap { _ in }
    try await helper.promise(id: durable.id, of: Int.self).reject(stored)
    #expect(failure(try await outcome.settlement()) == .rejected(stored))
    #expect(try await durable.record?.status == .consumed)
    await close(app, helper)
  }

  @Test func cancellationOfTheDurablePromiseCancelsInMemory() async throws {
    let (app, helper) = try await openBoth()
    let durable = try await app.createPromise(of: Int.self)
    let outcome = durable.promise.map { $0 }
    try await helper.promise(id: durable.id, of: Int.self).cancel(reason: "too late")
    #expect(try await outcome.settlement() == .cancelled("too late"))
    #expect(try await durable.record?.status == .consumed)
    await close(app, helper)
  }

  @Test func deadlineRejects() async throws {
    var configuration = LedgerConfiguration()
    let clock = ManualLedgerClock()
    configuration.clock = clock
    let app = try await temporary.open(as: .app, configuration: configuration)
    let deadline = clock.now() + .seconds(60)
    let durable = try await app.createPromise(of: Int.self, deadline: deadline)
    let outcome = durable.promise.map { $0 }
    clock.advance(by: .seconds(61))
    // The next writer notices.
    _ = try await app.createPromise(of: Int.self)
    #expect(failure(try await outcome.settlement()) == .timedOut)
    await app.close()
  }

  @Test(arguments: [SessionRole.appExtension, .operator])
  func onlyTheAppMayHaveIt(_ role: SessionRole) async throws {
    let other = try await temporary.open(as: role)
    let durable = try await other.createPromise(of: Int.self)
    let refused = durable.promise.map { $0 }
    await expect(refused, throws: .roleMayNotConsume)
    let doubled = durable.outcomePromise.map { try $0.get() * 2 }
    try await durable.fulfill(4)
    #expect(try await doubled.value == 8)
    #expect(try await durable.record?.status == .resolved)
    await other.close()
  }

  @Test func outcomePromiseIsFulfilledWithEveryOutcome() async throws {
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let outcome = durable.outcomePromise.map { $0 }
    try await durable.cancel(reason: "no more")
    #expect(try await outcome.value == .cancelled(reason: "no more"))
    #expect(try await durable.record?.status == .resolved)
    await app.close()
  }

  @Test func unknownAndAbandonedPromisesReject() async throws {
    let app = try await temporary.open(as: .app)
    let unknown = try app.promise(id: PromiseKey("nobody").promiseID, of: Int.self)
    await expect(unknown.promise, throws: .notFound)
    let durable = try await app.createPromise(of: Int.self)
    let given = durable.promise.map { $0 }
    try await durable.abandon(reason: "gone")
    await expect(given, throws: .promiseAbandoned)
    await expect(durable.outcomePromise, throws: .promiseAbandoned)
    await app.close()
  }

  // MARK: - The session's life

  @Test func frozenSessionDeliversAfterwards() async throws {
    let app = try await temporary.open(as: .app)
    let before = try await app.createPromise(of: Int.self)
    let during = try await app.createPromise(of: Int.self)
    let waiting = before.promise.map { $0 }
    let outcome = before.outcomePromise.map { $0 }
    #expect(try await app.freeze())
    let attachedWhileFrozen = during.promise.map { $0 }
    let helper = try await temporary.open(as: .appExtension)
    for (id, value) in [(before.id, 1), (during.id, 2)] {
      try await helper.promise(id: id, of: Int.self).fulfill(value)
    }
    #expect(waiting.isPending)
    #expect(attachedWhileFrozen.isPending)
    try await app.unfreeze()
    #expect(try await waiting.value == 1)
    #expect(try await attachedWhileFrozen.value == 2)
    #expect(try await outcome.value == .fulfilled(1))
    await close(app, helper)
  }

  @Test func closingRejectsWaitingPromises() async throws {
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let waiting = durable.promise.map { $0 }
    let outcome = durable.outcomePromise.map { $0 }
    try await isAwaited(durable, in: app)
    await app.close()
    await expect(waiting, throws: .closed)
    await expect(outcome, throws: .closed)
    await expect(durable.promise, throws: .closed)
  }

  @Test func onlyTheCallbackNeedsToBeKept() async throws {
    let helper = try await temporary.open(as: .appExtension)
    let (seen, resolver) = Promise.make(of: Int.self)
    let id = try await {
      let app = try await temporary.open(as: .app)
      let durable = try await app.createPromise(of: Int.self)
      durable.promise.done { resolver.fulfill($0) }
      return durable.id
    }()
    try await helper.promise(id: id, of: Int.self).fulfill(3)
    #expect(try await seen.value == 3)
    await helper.close()
  }

  // MARK: - Helpers

  private func close(_ ledgers: Ledger...) async {
    for ledger in ledgers { await ledger.close() }
  }
}

/// The failure of a durable promise that an in-memory one was rejected with.
func failure<Value>(_ outcome: Outcome<Value>) -> PromiseFailure? {
  guard case .rejected(let error) = outcome else { return nil }
  return error as? PromiseFailure
}

/// Expects that the promise is rejected with such an error of the ledger.
func expect<Value>(
  _ promise: Promise<Value>, throws code: LedgerError.Code,
  sourceLocation: SourceLocation = #_sourceLocation
) async {
  await #expect(sourceLocation: sourceLocation) { _ = try await promise.value } throws: {
    ($0 as? LedgerError)?.code == code
  }
}

/// Waits until this process waits for the promise.
func isAwaited<Value>(_ promise: DurablePromise<Value>, in ledger: Ledger) async throws {
  try await become { ledger.engine.replica.isAwaited(promise.id) }
}

/// Waits until the condition holds, or the test's time is over.
func become(_ condition: () async throws -> Bool) async throws {
  while try await !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
