import LedgerModelTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The session's life gives back the calls that it runs, through the engine.
@Suite(.timeLimit(.minutes(10))) struct CallReleaseTests {
  @Test func freezingAndClosingGiveBackTheCallsOfTheSession() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(as: .app)
    let id = HandlerID.numbered(1)
    let call = CallID.numbered(1)
    _ = try await ledger.engine.submit(CreateHandler(id))
    _ = try await ledger.engine.submit(StartCall(id, call))

    try await ledger.freeze()
    try await ledger.unfreeze()
    let retry = RetryCall(id: id, call: call, expectedAttempt: 1)
    #expect(try await ledger.engine.submit(retry).verdict == "started")
    await ledger.close()

    let events = try BlockingInspector(at: temporary.path).events()
    let releases = try events.compactMap { try $0.decode(as: HandlerCallReleased.self) }
    #expect(releases.map(\.reason) == [.frozen, .closed])
    #expect(releases.map(\.attempt) == [1, 2])
    #expect(
      events.map(\.kind).dropFirst(3) == [
        .handlerCallStarted, .handlerCallReleased, .sessionFrozen, .sessionUnfrozen,
        .handlerCallStarted, .handlerCallReleased, .sessionClosed,
      ])
  }

  @Test func anotherSessionTakesTheCallOfAClosedOneAndFinishesItOnce() async throws {
    let temporary = try TemporaryLedger()
    let first = try await temporary.open(as: .app)
    let id = HandlerID.numbered(1)
    let call = CallID.numbered(1)
    _ = try await first.engine.submit(CreateHandler(id))
    _ = try await first.engine.submit(StartCall(id, call))
    await first.close()

    let second = try await temporary.open(as: .appExtension)
    let offered = try await second.engine.read { state in state.handlers.openCalls }
    #expect(offered.map(\.call.release?.reason) == [.closed])
    let retry = RetryCall(id: id, call: call, expectedAttempt: 1)
    #expect(try await second.engine.submit(retry).verdict == "started")
    #expect(try await second.engine.submit(FinishCall(id, call)).verdict == "superseded")
    #expect(try await second.engine.submit(FinishCall(id, call, attempt: 2)).verdict == "finished")
    #expect(try await second.engine.read { $0.handlers.open.isEmpty })
    await second.close()
  }
}
