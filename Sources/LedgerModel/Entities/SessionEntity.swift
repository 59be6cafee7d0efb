extension SessionRecord {
  /// The status of a session according to the log. The log may still show a session as open although its
  /// process died.
  @nonexhaustive public enum Status: Sendable, Hashable {
    /// The session can write.
    case open
    /// The session released the ledger and may come back.
    case frozen
    /// The session ended.
    case ended(SessionClosed.Reason)
  }
}

/// A ledger's information about one session at one moment.
public struct SessionRecord: Sendable, Hashable, Identifiable {
  /// The id of the session.
  public let id: SessionID
  /// The details of how the session was opened.
  public let opened: SessionOpened
  /// The time at which the session was opened.
  public let openedAt: Timestamp
  /// The id of the process that last owned the session.
  public private(set) var processID: Int32
  /// The status of the session.
  public private(set) var status: Status
  /// The position of the session's last event.
  public private(set) var lastPosition: Position
  /// The writer's clock reading at the session's last event.
  public private(set) var lastTime: Timestamp
}

/// A session as rebuilt by replay.
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
      // If a freeze could not be recorded in time, the log still shows the session as open.
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
