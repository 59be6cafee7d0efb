/// A change to the ledger itself, made by an event.
enum LedgerChange {
  case created(LedgerID)
  /// Records of closed entities were removed.
  case removed(RetentionApplied)
  case none

  /// - Parameter known: The id that the ledger already has.
  /// - Throws: An illegal transition if the ledger is created again: only the first creation counts.
  init(_ event: borrowing EventView, over known: LedgerID?) throws(ReplayProblem) {
    switch event.kind {
    case .ledgerCreated:
      let _: LedgerCreated = try event.decode()
      guard known == nil else {
        throw ReplayProblem(
          .illegalTransition("\(event.kind) of a ledger that was created before"),
          at: event.position)
      }
      self = .created(LedgerID(entityID: event.subject))
    case .retentionApplied:
      let retention: RetentionApplied = try event.decode()
      guard retention.horizon < event.position else {
        throw ReplayProblem(
          .illegalTransition("\(event.kind) of events that come later"), at: event.position)
      }
      self = .removed(retention)
    case .snapshotTaken:
      let _: SnapshotTaken = try event.decode()
      self = .none
    case .eventsDeleted:
      let _: EventsDeleted = try event.decode()
      self = .none
    default:
      throw event.isOfUnknownKind
    }
  }
}
