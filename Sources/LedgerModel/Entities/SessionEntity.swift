/// Where a session stands, as far as the log tells: one whose process died may not be found yet.
public enum SessionStatus: Sendable, Hashable {
  /// It can write.
  case open
  /// It let go of the ledger and may come back.
  case frozen
  /// It ended.
  case ended(SessionEnd)
}

/// A session as replay makes it.
package struct SessionEntity: Sendable, Hashable {
  package let id: SessionID
  package let opened: SessionOpened
  package let openedAt: Timestamp
  package private(set) var processID: Int32
  package private(set) var status: SessionStatus
  package private(set) var lastPosition: Position
  /// The time of the newest event applied.
  package private(set) var lastTime: Timestamp
}

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
