/// What a ledger knows about one session at one moment.
public struct SessionRecord: Sendable, Hashable, Identifiable {
  /// Where a session stands, as far as the log tells: one whose process died may not be found yet.
  public typealias Status = SessionStatus

  /// The session.
  public let id: SessionID
  /// Where it stands.
  public let status: Status
  /// How it was opened.
  public let opened: SessionOpened
  /// When it was opened.
  public let openedAt: Timestamp
  /// The process that had it last.
  public let processID: Int32
  /// Its last event.
  public let lastPosition: Position
  /// The writer's clock at its last event.
  public let lastTime: Timestamp

  init(_ entity: SessionEntity) {
    id = entity.id
    status = entity.status
    opened = entity.opened
    openedAt = entity.openedAt
    processID = entity.processID
    lastPosition = entity.lastPosition
    lastTime = entity.lastTime
  }
}

extension ReplayedLedger {
  /// What the ledger knows about a session, or `nil` if there is none.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  public func record(of id: SessionID) throws(LedgerError) -> SessionRecord? {
    try reading { (state) throws(LedgerError) in try state.session(id) }.map(SessionRecord.init)
  }
}
