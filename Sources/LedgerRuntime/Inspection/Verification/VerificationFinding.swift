/// Something that ``LedgerInspector/verify(progress:_:)`` found.
public struct VerificationFinding: Sendable, Hashable {
  /// What it means for the ledger.
  public enum Severity: Sendable, Hashable {
    /// Bytes are damaged, or events contradict each other: restore the ledger from a copy.
    case corrupt
    /// An event or a record of the snapshot is of a later version: update, and verify again.
    case unsupported
  }

  /// What it means for the ledger.
  public let severity: Severity
  /// The event, or the first event of the damaged record.
  public let position: Position?
  /// The entity that the event or the record is about.
  public let subject: EntityID?
  /// What is wrong.
  public let message: String

  init(
    _ message: String, at position: Position?, subject: EntityID? = nil,
    severity: Severity = .corrupt
  ) {
    self.severity = severity
    self.position = position
    self.subject = subject
    self.message = message
  }
}

/// What ``LedgerInspector/verify(progress:_:)`` looked at.
public struct VerificationSummary: Sendable, Hashable {
  /// How many records of the log were whole.
  public internal(set) var frameCount = 0
  /// How many events they hold.
  public internal(set) var eventCount = 0
  /// How many records of the snapshot were whole.
  public internal(set) var recordCount = 0
  /// How many values that are stored beside their events were whole.
  public internal(set) var attachmentCount = 0
  /// How many findings are about damage.
  public internal(set) var corruptCount = 0
  /// How many findings are about events and records that this build does not know.
  public internal(set) var unsupportedCount = 0
  /// The digest of all events, if all of them could be read.
  public internal(set) var logDigest: LogDigest?
  /// The last event up to which it was checked that events make sense together. It is before the
  /// end if events are missing or damaged.
  public internal(set) var checkedThrough = Position.start
}
