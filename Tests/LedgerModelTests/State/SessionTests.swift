import LedgerModelTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct SessionTests {
  private let first = SessionID.numbered(1)
  private let second = SessionID.numbered(2)

  /// A ledger whose first session is open.
  private func ledger(role: SessionRole = .app, instance: String = "main") throws -> PureLedger {
    var ledger = PureLedger(session: first, role: role)
    try ledger.commit(OpenSession(.sample(role: role, instance: instance)))
    return ledger
  }

  private func open(
    _ ledger: inout PureLedger, role: SessionRole = .app, instance: String = "main"
  ) throws {
    ledger.context.session = second
    ledger.context.role = role
    try ledger.commit(OpenSession(.sample(role: role, instance: instance)))
  }

  @Test func anOpenedSessionIsOpen() throws {
    let ledger = try ledger()

    let session = try #require(ledger.state.sessions[first])
    #expect(session.status == .open)
    #expect(session.opened == .sample())
    #expect(session.openedAt == .at(1_000))
  }

  @Test func aSessionFreezesAndComesBackWithAnotherProcess() throws {
    var ledger = try ledger()
    try ledger.commit(FreezeSession())
    #expect(ledger.state.sessions[first]?.status == .frozen)

    try ledger.commit(UnfreezeSession(processID: 43))

    #expect(ledger.state.sessions[first]?.status == .open)
    #expect(ledger.state.sessions[first]?.processID == 43)
    #expect(try ledger.replayed().contents == ledger.state.contents)
  }

  @Test func anUnfreezeWithoutARecordedFreezeIsTaken() throws {
    var ledger = try ledger()

    try ledger.commit(UnfreezeSession(processID: 43))

    #expect(ledger.state.sessions[first]?.status == .open)
  }

  @Test(arguments: SessionRole.allCases, ["main", "other"])
  func anOpeningLeavesAFrozenSessionAlone(role: SessionRole, instance: String) throws {
    var ledger = try ledger()
    try ledger.commit(FreezeSession())

    try open(&ledger, role: role, instance: instance)

    #expect(ledger.state.sessions[first]?.status == .frozen)
  }

  @Test func theNextAppLeavesAnOpenSessionAlone() throws {
    var ledger = try ledger()

    try open(&ledger)

    #expect(ledger.state.sessions[first]?.status == .open)
  }

  @Test(arguments: [SessionClosed.Reason.closed, .died])
  func anEndedSessionMayNeitherFreezeNorComeBack(reason: SessionClosed.Reason) throws {
    var ledger = try ledger()
    try ledger.commit(CloseSession(id: first, reason: reason))
    let before = ledger.state.contents

    let ofFreeze = #expect(throws: LedgerError.self) { try ledger.commit(FreezeSession()) }
    let ofUnfreeze = #expect(throws: LedgerError.self) {
      try ledger.commit(UnfreezeSession(processID: 1))
    }

    #expect(ofFreeze?.code == .sessionEnded)
    #expect(ofUnfreeze?.code == .sessionEnded)
    #expect(
      ofUnfreeze?.message
        == "Another process found session \(first) dead and ended it. Open the ledger again."
    )
    #expect(ledger.state.contents == before)
  }

  @Test func aSessionThatWasNeverOpenedIsRefusedLikeAnEndedOne() throws {
    var ledger = PureLedger()

    let error = #expect(throws: LedgerError.self) { try ledger.commit(FreezeSession()) }
    #expect(error?.code == .sessionEnded)
  }

  @Test func aSessionEndsOnceAndKeepsItsFirstReason() throws {
    var ledger = try ledger()
    try ledger.commit(CloseSession(id: first, reason: .died))
    let before = ledger.state.contents

    try ledger.commit(CloseSession(id: first, reason: .closed))

    #expect(ledger.state.contents == before)
  }

  @Test func closingASessionThatIsNotThereWritesNothing() throws {
    var ledger = PureLedger()

    try ledger.commit(CloseSession(id: second, reason: .died))

    #expect(ledger.frames.isEmpty)
  }

  @Test(arguments: [
    NewEvent.of(SessionFrozen(), on: SessionID.numbered(9).entityID),
    .of(SessionUnfrozen(processID: 1), on: SessionID.numbered(9).entityID),
    .of(SessionClosed(reason: .died), on: SessionID.numbered(9).entityID),
  ])
  func anEventOfASessionThatWasNeverOpenedBlocksItsSubject(event: NewEvent) throws {
    var ledger = PureLedger()

    try ledger.append([event])

    let problem = try #require(ledger.state.blocked[event.subject])
    guard case .illegalTransition = problem.reason else {
      Issue.record("\(problem)")
      return
    }
    #expect(ledger.state.sessions.isEmpty)
  }

  @Test func anEventAfterTheEndBlocksTheSession() throws {
    var ledger = try ledger()
    try ledger.commit(CloseSession(id: first, reason: .closed))

    try ledger.append([.of(SessionFrozen(), on: first.entityID)])

    #expect(ledger.state.blocked[first.entityID] != nil)
    #expect(ledger.state.sessions[first]?.status == .ended(.closed))
  }

  @Test func theFirstSessionOfALedgerGivesItItsId() throws {
    let ledger = try ledger()

    let kinds = try ledger.frames.flatMap { try $0.events().map(\.kind) }
    #expect(kinds == [.ledgerCreated, .sessionOpened])
    #expect(ledger.state.ledgerID == LedgerID(entityID: .numbered(77)))
    #expect(try ledger.replayed().ledgerID == ledger.state.ledgerID)
  }

  @Test func aLaterSessionDoesNotCreateTheLedgerAgain() throws {
    var ledger = try ledger()

    try open(&ledger)

    let kinds = try ledger.frames.flatMap { try $0.events().map(\.kind) }
    #expect(kinds == [.ledgerCreated, .sessionOpened, .sessionOpened])
  }
}
