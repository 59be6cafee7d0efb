/// What was saved of a damaged ledger, and what was lost.
public struct SalvageReport: Sendable, Hashable {
  /// The id of the damaged ledger, which the new one shares; `nil` if it is lost.
  public internal(set) var ledgerID: LedgerID?
  /// Whether a new ledger was made. Without it, everything that was saved is in the file of loose events.
  public internal(set) var hasLedger = false
  /// The position of the last event of the damaged ledger that the new one holds.
  public internal(set) var position = Position.start
  /// The number of events that the new ledger holds.
  public internal(set) var eventCount = 0
  /// The number of snapshot records that the new ledger holds.
  public internal(set) var recordCount = 0

  /// The positions of events that are lost, in order.
  public internal(set) var lostEvents: [ClosedRange<Position>] = []
  /// The positions of intact events whose large values are lost, in order.
  public internal(set) var lostValues: [Position] = []
  /// Whether the ledger had a snapshot that the new one does not hold.
  public internal(set) var isSnapshotLost = false
  /// The number of records and tombstones of the snapshot that are lost, at least one if its digest shows that
  /// something is missing.
  public internal(set) var lostRecordCount = 0

  /// The path of the file of loose events; `nil` if the new ledger holds everything that was saved.
  public internal(set) var looseFile: String?
  /// The number of intact events that only that file holds.
  public internal(set) var looseEventCount = 0
  /// The number of intact snapshot records that only that file holds.
  public internal(set) var looseRecordCount = 0

  /// Whether nothing was lost, and the new ledger holds all of it.
  ///
  /// An event that contradicts those before it keeps itself and all later events out of the new ledger, even
  /// if nothing is lost.
  public var isComplete: Bool {
    hasLedger && lostEvents.isEmpty && lostValues.isEmpty && !isSnapshotLost
      && lostRecordCount == 0 && looseFile == nil
  }
}
