import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// Compares the event kinds with the file format: the entries of this table may never change.
@Suite(.timeLimit(.minutes(10))) struct EventKindTests {
  private struct Specified {
    let number: UInt16
    let name: String
    let kind: EventKind
    let payload: any EventPayload.Type
    let version: UInt16

    init(
      _ number: UInt16, _ name: String, _ kind: EventKind, _ payload: any EventPayload.Type,
      version: UInt16 = 1
    ) {
      self.version = version
      self.number = number
      self.name = name
      self.kind = kind
      self.payload = payload
    }
  }

  private static let specified = [
    Specified(1, "ledgerCreated", .ledgerCreated, LedgerCreated.self),
    Specified(16, "sessionOpened", .sessionOpened, SessionOpened.self),
    Specified(17, "sessionFrozen", .sessionFrozen, SessionFrozen.self),
    Specified(18, "sessionUnfrozen", .sessionUnfrozen, SessionUnfrozen.self),
    Specified(19, "sessionClosed", .sessionClosed, SessionClosed.self),
    Specified(32, "promiseCreated", .promiseCreated, PromiseCreated.self, version: 2),
    Specified(33, "promiseResolved", .promiseResolved, PromiseResolved.self, version: 2),
    Specified(34, "promiseConsumed", .promiseConsumed, PromiseConsumed.self),
    Specified(35, "promiseAbandoned", .promiseAbandoned, PromiseAbandoned.self),
    Specified(36, "workStarted", .workStarted, WorkStarted.self),
    Specified(37, "workReleased", .workReleased, WorkReleased.self),
    Specified(38, "workStepFinished", .workStepFinished, WorkStepFinished.self),
    Specified(39, "workCancelRequested", .workCancelRequested, WorkCancelRequested.self),
    Specified(40, "workAmended", .workAmended, WorkAmended.self),
    Specified(48, "handlerCreated", .handlerCreated, HandlerCreated.self),
    Specified(49, "handlerRebound", .handlerRebound, HandlerRebound.self),
    Specified(50, "handlerCallStarted", .handlerCallStarted, HandlerCallStarted.self),
    Specified(51, "handlerCallReleased", .handlerCallReleased, HandlerCallReleased.self),
    Specified(52, "handlerCallFinished", .handlerCallFinished, HandlerCallFinished.self),
    Specified(53, "handlerInvalidated", .handlerInvalidated, HandlerInvalidated.self),
    Specified(
      54, "handlerInvalidationFinished", .handlerInvalidationFinished,
      HandlerInvalidationFinished.self),
    Specified(64, "snapshotTaken", .snapshotTaken, SnapshotTaken.self),
    Specified(65, "retentionApplied", .retentionApplied, RetentionApplied.self),
    Specified(66, "eventsCompacted", .eventsDeleted, EventsDeleted.self),
  ]

  @Test func theNumbersAndNamesOfKindsAreAsSpecified() {
    #expect(EventKind.all.map(\.rawValue) == Self.specified.map(\.number))
    #expect(EventKind.all.map(\.name) == Self.specified.map(\.name))
    #expect(EventKind.all == Self.specified.map(\.kind))
  }

  @Test func noNumberAndNoNameIsTakenTwice() {
    #expect(Set(EventKind.all).count == EventKind.all.count)
    #expect(Set(EventKind.all.map(\.name)).count == EventKind.all.count)
  }

  @Test func everyKindHasItsPayloadInItsNewestVersion() {
    for specified in Self.specified {
      let isItsPayload = specified.kind.payload == specified.payload
      #expect(isItsPayload, "\(specified.name)")
      #expect(specified.payload.kind == specified.kind, "\(specified.name)")
      #expect(specified.payload.newestVersion == specified.version, "\(specified.name)")
    }
  }

  /// A tool shows even events of kinds that it does not know with those of their promise or handler.
  @Test func theNumberOfAKindSaysWhatItIsAbout() {
    for number in 0...UInt16.max {
      let kind = EventKind(rawValue: number)
      let expected: EventKind.Subject? =
        switch number {
        case _ where !EventKind.all.contains(kind): nil
        case 16..<32: .session
        case 32..<48: .promise
        case 48..<64: .handler
        default: .ledger
        }
      #expect(kind.subject == expected, "\(kind)")
      #expect(kind.hasRecord == (expected != .ledger), "\(kind)")
    }
  }

  @Test func aFullLedgerRefusesCommandsThatBeginSomethingOrHoldContent() {
    let refused: [EventKind] = [
      .ledgerCreated, .promiseCreated, .promiseResolved, .workStarted, .workStepFinished,
      .workCancelRequested, .workAmended, .handlerCreated, .handlerRebound,
      .handlerCallStarted,
    ]
    #expect(EventKind.all.filter(\.makesLedgerGrow) == refused)
    #expect(EventKind(rawValue: 999).makesLedgerGrow)
  }

  @Test func onlyCreationsHaveKeys() {
    #expect(
      EventKind.all.filter { $0.keyedPayload != nil } == [.promiseCreated, .handlerCreated])
  }

  @Test func aKindThatIsNotKnownHasNoNameAndShowsItsNumber() {
    for number: UInt16 in [0, 41, 67, 999, .max] {
      let kind = EventKind(rawValue: number)
      #expect(kind.name == nil)
      #expect(kind.payload == nil, "\(number)")
      #expect(kind.description == "unknown(\(number))")
    }
  }
}
