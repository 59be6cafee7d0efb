import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// Calls are given back when the session that runs them no longer can.
@Suite(.timeLimit(.minutes(10))) struct HandlerSessionTests {
  private let repeating = HandlerID.numbered(1)
  private let withdrawn = HandlerID.numbered(2)

  /// Session 1 runs two calls and invalidation code, and finished one; session 2 runs a call.
  private func ledger() throws -> PureLedger {
    var ledger = try PureLedger.withSessions()
    try ledger.commit(CreateHandler(repeating, .repeating, scopes: ["a", "b"]))
    try ledger.commit(CreateHandler(withdrawn, .repeating, scopes: ["b"]))
    for number in [3, 1, 4] { try ledger.commit(StartCall(repeating, .numbered(number))) }
    try ledger.commit(StartCall(repeating, .numbered(2)), as: 2)
    try ledger.commit(FinishCall(repeating, .numbered(4)))
    try ledger.commit(InvalidateHandler(withdrawn, .numbered(5)))
    return ledger
  }

  enum End: String, CaseIterable, Sendable { case closed, died, frozen, diedFrozen }

  @Test(arguments: End.allCases)
  func theCallsOfASessionThatEndsAreReleasedInTheSameCommit(end: End) throws {
    var ledger = try ledger()
    let frameCount = ledger.frames.count

    let reason: HandlerCallReleased.Reason
    switch end {
    case .closed:
      reason = .closed
      try ledger.commit(CloseSession(id: .numbered(1), reason: .closed))
    case .died:
      reason = .died
      try ledger.commit(CloseSession(id: .numbered(1), reason: .died), as: 2)
    case .frozen:
      reason = .frozen
      try ledger.commit(FreezeSession())
    case .diedFrozen:
      // The freeze released everything; that of another build may not have.
      reason = .died
      try ledger.append([.of(SessionFrozen(), on: SessionID.numbered(1).entityID)])
      try ledger.commit(CloseSession(id: .numbered(1), reason: .died), as: 3)
    }

    let calls = ledger.state.handlers.openCalls.map(\.call)
    let released = calls.filter(\.isReleased)
    #expect(released.map(\.id) == [.numbered(3), .numbered(1), .numbered(5)])
    #expect(released.allSatisfy { $0.release?.reason == reason })
    #expect(calls.filter { !$0.isReleased }.map(\.id) == [.numbered(2)])
    let kinds = try ledger.frames.last?.events().map(\.kind) ?? []
    #expect(kinds.prefix(3) == [.handlerCallReleased, .handlerCallReleased, .handlerCallReleased])
    #expect(ledger.frames.count == frameCount + (end == .diedFrozen ? 2 : 1))
    #expect(try ledger.replayed().contents == ledger.state.contents)
  }

  @Test func theCallsOfAWithdrawnHandlerAreDroppedWhenTheirSessionEnds() throws {
    var ledger = try ledger()
    try ledger.commit(InvalidateHandler(repeating, .numbered(6), runsCode: false))
    try ledger.commit(CloseSession(id: .numbered(1), reason: .died), as: 2)

    #expect(try ledger.state.handler(repeating)?.callsInOrder.map(\.id) == [.numbered(2)])
    #expect(try ledger.commit(FinishCall(repeating, .numbered(3))).verdict == "superseded")
    #expect(try ledger.commit(FinishCall(repeating, .numbered(2)), as: 2).verdict == "finished")
  }

  @Test func aSessionThatWasEndedBeginsNoRun() throws {
    var ledger = try ledger()
    try ledger.commit(CloseSession(id: .numbered(1), reason: .died), as: 2)
    let before = ledger.state.contents

    let retry = RetryCall(id: repeating, call: .numbered(3), expectedAttempt: 1)
    let errors = [
      #expect(throws: LedgerError.self) { try ledger.commit(StartCall(repeating, .numbered(9))) },
      #expect(throws: LedgerError.self) { try ledger.commit(retry) },
      #expect(throws: LedgerError.self) {
        try ledger.commit(InvalidateHandler(repeating, .numbered(9)))
      },
    ]

    #expect(errors.map(\.?.code) == [.sessionEnded, .sessionEnded, .sessionEnded])
    #expect(ledger.state.contents == before)
  }

  @Test func anotherSessionTakesAReleasedCallWithItsFirstArguments() throws {
    var ledger = try PureLedger.withSessions()
    try ledger.commit(CreateHandler(repeating, arguments: .sample(["bound": 1])))
    try ledger.commit(StartCall(repeating, .numbered(1), arguments: .sample(["call": 2])))
    try ledger.commit(
      RebindHandler(
        id: repeating, mode: .replaced, arguments: .sample(["bound": 3]), expectedBinding: nil))
    try ledger.commit(CloseSession(id: .numbered(1), reason: .died), as: 2)

    let answer = try ledger.commit(
      RetryCall(id: repeating, call: .numbered(1), expectedAttempt: 1), as: 2)

    guard case .started(let started) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(started.call.attempt == 2)
    #expect(started.call.runningSession == .numbered(2))
    #expect(started.call.arguments == .inline(.sample(["call": 2])))
    #expect(started.call.bound.arguments == .inline(.sample(["bound": 1])))
    #expect(started.entity.bound.arguments == .inline(.sample(["bound": 3])))
    #expect(try ledger.replayed().contents == ledger.state.contents)
  }

  @Test func twoSessionsRacingForAReleasedCallMakeOneAttempt() throws {
    var ledger = try ledger()
    try ledger.commit(
      ReleaseCall(id: repeating, call: .numbered(1), attempt: 1, reason: .cancelled))
    let retry = RetryCall(id: repeating, call: .numbered(1), expectedAttempt: 1)

    #expect(try ledger.commit(retry, as: 2).verdict == "started")
    guard case .taken(let session, let call) = try ledger.commit(retry) else {
      Issue.record("not taken")
      return
    }
    #expect(session == .numbered(2))
    #expect(call.call.attempt == 2)
  }

  @Test func handlersAreListedByScopeUntilTheyAreWithdrawn() throws {
    var ledger = try ledger()
    #expect(ledger.state.handlers.active(inScope: "a").map(\.id) == [repeating])
    #expect(ledger.state.handlers.active(inScope: "b").map(\.id) == [repeating])
    #expect(ledger.state.handlers.active(inScope: "c").isEmpty)
    #expect(ledger.state.handlers.open.map(\.id) == [repeating, withdrawn])

    try ledger.commit(FinishCall(withdrawn, .numbered(5)))
    try ledger.commit(InvalidateHandler(repeating, .numbered(6), runsCode: false))

    #expect(ledger.state.handlers.active(inScope: "a").isEmpty)
    // Its calls still run.
    #expect(ledger.state.handlers.open.map(\.id) == [repeating])
    #expect(ledger.state.handlers.all.map(\.id) == [repeating, withdrawn])
  }

  @Test func largeArgumentsAreStoredBesideTheirEvents() throws {
    var ledger = try PureLedger.withSessions()
    let large = ArgumentSet.bytes(5_000)
    try ledger.commit(CreateHandler(repeating, .repeating, arguments: large))
    let created = ledger.state.position
    try ledger.commit(StartCall(repeating, .numbered(1), arguments: large))
    let started = ledger.state.position
    try ledger.commit(
      RebindHandler(id: repeating, mode: .merged, arguments: large, expectedBinding: nil))
    let rebound = ledger.state.position
    try ledger.commit(InvalidateHandler(repeating, .numbered(2), arguments: large))
    let invalidated = ledger.state.position

    let entity = try #require(try ledger.state.handler(repeating))
    let byteCount = large.arguments.encoded.count
    #expect(
      entity.openCalls[.numbered(1)]?.bound.arguments == .attached(created, byteCount: byteCount))
    #expect(entity.openCalls[.numbered(1)]?.arguments == .attached(started, byteCount: byteCount))
    #expect(entity.bound.arguments == .attached(rebound, byteCount: byteCount))
    #expect(
      entity.openCalls[.numbered(2)]?.arguments == .attached(invalidated, byteCount: byteCount))
    #expect(try ledger.replayed().contents == ledger.state.contents)
  }
}
