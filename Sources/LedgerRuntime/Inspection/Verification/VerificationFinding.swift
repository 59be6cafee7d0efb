/// A finding of ``LedgerInspector/verify(_:)``.
public struct VerificationFinding: Sendable, Hashable {
  /// The consequence for the ledger.
  @nonexhaustive public enum Severity: Sendable, Hashable {
    /// Bytes are damaged, or events contradict each other: restore the ledger from a copy.
    case corrupt
    /// A later version wrote an event or a record of the snapshot: update the library, and verify again.
    case unsupported
  }

  /// The consequence for the ledger.
  public let severity: Severity
  /// The event, or the first event of the damaged record.
  public let position: Position?
  /// The entity that the event or the record is about.
  public let subject: EntityID?
  /// A description of the problem.
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

/// The scope and the result of ``LedgerInspector/verify(_:)``.
public struct VerificationSummary: Sendable, Hashable {
  /// The number of whole records in the log.
  public internal(set) var frameCount = 0
  /// The number of events in these records.
  public internal(set) var eventCount = 0
  /// The number of whole records in the snapshot.
  public internal(set) var recordCount = 0
  /// The number of whole values that are stored beside their events.
  public internal(set) var attachmentCount = 0
  /// The number of findings about damage.
  public internal(set) var corruptCount = 0
  /// The number of findings about events and records that this build does not know.
  public internal(set) var unsupportedCount = 0
  /// The digest of all events, if all of them could be read.
  public internal(set) var logDigest: LogDigest?
  /// The last event that the checks on events in combination covered. It is before the end if events are
  /// missing or damaged.
  public internal(set) var checkedThrough = Position.start
}
