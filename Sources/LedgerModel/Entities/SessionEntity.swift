/// Where a session stands, as far as the log tells: one whose process died may not be found yet.
public enum SessionStatus: Sendable, Hashable {
  /// It can write.
  case open
  /// It let go of the ledger and may come back.
  case frozen
  /// It ended.
  case ended(SessionEnd)
}

/// What a ledger knows about one session at one moment.
public struct SessionRecord: Sendable, Hashable, Identifiable {
  /// Where a session stands, as far as the log tells: one whose process died may not be found yet.
  public typealias Status = SessionStatus

  /// The session.
  public let id: SessionID
  /// How it was opened.
  public let opened: SessionOpened
  /// When it was opened.
  public let openedAt: Timestamp
  /// The process that had it last.
  public private(set) var processID: Int32
  /// Where it stands.
  public private(set) var status: Status
  /// Its last event.
  public private(set) var lastPosition: Position
  /// The writer's clock at its last event.
  public private(set) var lastTime: Timestamp
}

/// A session as replay makes it.
package typealias SessionEntity = SessionRecord

extension SessionEntity {
  /// Applies the first event of a session.
  package init(creating event: borrowing EventView) throws(ReplayProblem) {
    guard event.kind == .sessionOpened else {
      throw ReplayProblem(
        .illegalTransition("\(event.kind) of a session that was never opened"), at: event.position)
    }
    id = SessionID(entityID: event.subject)
    opened = try event.decode()
    openedAt = event.time
    processID = opened.processID
    status = .open
    lastPosition = event.position
    lastTime = event.time
  }

  /// Applies a later event.
  package mutating func apply(_ event: borrowing EventView) throws(ReplayProblem) {
    assert(event.position > lastPosition, "an event was applied twice")
    switch (event.kind, status) {
    case (.sessionFrozen, .open):
      let _: SessionFrozen = try event.decode()
      status = .frozen
    case (.sessionUnfrozen, .open), (.sessionUnfrozen, .frozen):
      // A freeze that could not be recorded in time leaves the session open in the log.
      let unfrozen: SessionUnfrozen = try event.decode()
      processID = unfrozen.processID
      status = .open
    case (.sessionClosed, .open), (.sessionClosed, .frozen):
      let closed: SessionClosed = try event.decode()
      status = .ended(closed.reason)
    default:
      throw ReplayProblem(
        .illegalTransition("\(event.kind) of a session that is \(status)"), at: event.position)
    }
    lastPosition = event.position
    lastTime = event.time
  }

  package var isEnded: Bool {
    if case .ended = status { true } else { false }
  }
}
