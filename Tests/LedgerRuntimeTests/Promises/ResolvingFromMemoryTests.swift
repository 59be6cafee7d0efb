import LedgerPromises
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// An in-memory promise gives a durable one its outcome.
@Suite(.timeLimit(.minutes(5))) final class ResolvingFromMemoryTests: Sendable {
  private struct ServerError: Error, Codable, Equatable {
    let code: Int
  }

  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  /// The result of a durable promise that gets its outcome from `outcome`.
  private func stored(from outcome: Outcome<Int>) async throws -> PromiseOutcome<Int> {
    let ledger = try await temporary.open(as: .appExtension)
    let durable = try await ledger.createPromise(of: Int.self)
    let resolution = try await durable.resolve(from: .settled(outcome)).value
    #expect(resolution.isSuccess)
    let stored = try await durable.outcome
    await ledger.close()
    return stored
  }

  @Test func valueFulfils() async throws {
    #expect(try await stored(from: .fulfilled(3)) == .fulfilled(3))
  }

  @Test func errorIsStoredAsData() async throws {
    let outcome = try await stored(from: .rejected(ServerError(code: 503)))
    guard case .rejected(let error) = outcome else { return #expect(outcome == .timedOut) }
    #expect(error.decode(as: ServerError.self) == ServerError(code: 503))
  }

  @Test func cancellationCancels() async throws {
    let outcome = try await stored(from: .cancelled("gone\nhome"))
    #expect(outcome == .cancelled(reason: "gone home"))
    let long = String(repeating: "ä", count: 2_000)
    #expect(
      try await stored(from: .cancelled(CancellationReason(long)))
        == .cancelled(reason: String(repeating: "ä", count: 1_024)))
    #expect(
      try await stored(from: .rejected(PromiseFailure.cancelled(reason: long)))
        == .cancelled(reason: String(repeating: "ä", count: 1_024)))
  }

  @Test func failureOfAnotherDurablePromiseStaysTheSame() async throws {
    let error = StoredError(domain: "chat", code: 403, message: "no")
    #expect(
      try await stored(from: .rejected(PromiseFailure.rejected(error))) == .rejected(error))
    #expect(
      try await stored(from: .rejected(PromiseFailure.cancelled(reason: "x")))
        == .cancelled(reason: "x"))
    guard case .rejected(let late) = try await stored(from: .rejected(PromiseFailure.timedOut))
    else { return #expect(Bool(false), "a failure was not stored as one") }
    #expect(late.message == "timed out")
  }

  @Test func promiseThatSettlesLaterIsWaitedForAcrossAFreeze() async throws {
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let (source, resolver) = Promise.make(of: Int.self)
    let resolution = durable.resolve(from: source.map { $0 + 1 })
    #expect(try await app.freeze())
    resolver.fulfill(1)
    #expect(resolution.isPending)
    try await app.unfreeze()
    #expect(try await resolution.value.isSuccess)
    #expect(try await durable.promise.value == 2)
    await app.close()
  }

  @Test func lazyPromiseIsStarted() async throws {
    let ledger = try await temporary.open()
    let durable = try await ledger.createPromise(of: Int.self)
    durable.resolve(from: .lazy { $0.fulfill(8) })
    #expect(try await durable.consume() == 8)
    await ledger.close()
  }

  @Test func secondOutcomeIsToldThatItCameLate() async throws {
    let ledger = try await temporary.open()
    let durable = try await ledger.createPromise(of: Int.self)
    try await durable.fulfill(1)
    let resolution = try await durable.resolve(from: .value(2)).value
    guard case .alreadyResolved(let record) = resolution else {
      return #expect(resolution.isSuccess, "should have been refused")
    }
    #expect(record.status == .resolved)
    #expect(try await durable.outcome == .fulfilled(1))
    await ledger.close()
  }

  @Test func cancellingTheAnswerLeavesBothPromisesAlone() async throws {
    let ledger = try await temporary.open()
    let durable = try await ledger.createPromise(of: Int.self)
    let (source, resolver) = Promise.make(of: Int.self)
    let answer = durable.resolve(from: source)
    #expect(answer.cancel())
    #expect(source.isPending)
    resolver.fulfill(1)
    #expect(try await source.value == 1)
    #expect(try await durable.record?.status == .pending)
    await ledger.close()
  }

  @Test func closedLedgerRejectsTheAnswer() async throws {
    let ledger = try await temporary.open()
    let durable = try await ledger.createPromise(of: Int.self)
    let (source, resolver) = Promise.make(of: Int.self)
    let answer = durable.resolve(from: source)
    await ledger.close()
    resolver.fulfill(1)
    await expect(answer, throws: .closed)
  }

  @Test func onePromiseHandsItsOutcomeToAnother() async throws {
    let app = try await temporary.open(as: .app)
    let helper = try await temporary.open(as: .appExtension)
    let first = try await app.createPromise(of: Int.self)
    let second = try await app.createPromise(of: Int.self)
    second.resolve(from: first.promise)
    try await helper.promise(id: first.id, of: Int.self).cancel(reason: "first")
    #expect(try await second.outcome == .cancelled(reason: "first"))
    await app.close()
    await helper.close()
  }
}
