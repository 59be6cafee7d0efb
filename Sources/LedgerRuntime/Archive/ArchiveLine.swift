/// A line of an archive; see the article *File format*.
///
/// Each line has only one spelling, so reading and writing an archive reproduces it byte by byte, except for
/// names of kinds that this build does not know.
enum ArchiveLine: Sendable, Hashable {
  case header(ArchiveHeader)
  case snapshot(ArchivedSnapshot)
  case record(ArchivedRecord)
  case attachment(ArchivedAttachment)
  case tombstone(EntityID)
  case event(ArchivedEvent)
  case recording(ArchivedRecording)
  case state(ArchivedState)
  case end(ArchiveEnd)
}

/// The first line: the ledger of the events, and the position at which they begin.
struct ArchiveHeader: Sendable, Hashable {
  /// The archive version that this build writes, and the newest that it reads.
  static let version: UInt32 = 1
  /// The last position after which an archive may begin. It exceeds the size of any ledger, and leaves room
  /// for the events that follow.
  static let greatestBase = Position(rawValue: 1 << 62)

  var ledgerID: LedgerID
  var createdAt: Timestamp
  /// The digest at the last event that the archive leaves out, because it is folded into a snapshot or in
  /// another archive.
  var base: LogDigest
}

/// The position of a ledger's snapshot, if the first events of the ledger were deleted.
struct ArchivedSnapshot: Sendable, Hashable {
  var log: LogDigest
  var time: Timestamp
  var stateDigest: StateDigest
  var horizon: SnapshotSummary.Horizon
}

/// The record of an entity in the snapshot.
struct ArchivedRecord: Sendable, Hashable {
  var type: RecordType
  var id: EntityID
  var content: [UInt8]
}

/// An attachment that the preceding record owns, of an event that was deleted.
struct ArchivedAttachment: Sendable, Hashable {
  var position: Position
  var content: [UInt8]
}

/// One event, with everything needed to write it again.
struct ArchivedEvent: Sendable, Hashable {
  var position: Position
  var commit: CommitID
  var time: Timestamp
  var kind: EventKind
  var version: UInt16
  var flags: UInt32
  var subject: EntityID
  var cause: Position
  var payload: [UInt8]
  var attachment: [UInt8]
}

extension ArchivedEvent {
  init(_ event: StoredEvent, attachment: [UInt8]) {
    let view = event.view
    self.init(
      position: event.position, commit: event.commit, time: view.time, kind: view.kind,
      version: view.version, flags: view.flags, subject: view.subject, cause: view.cause,
      payload: view.payloadBytes, attachment: attachment)
  }

  /// The event as it will be stored.
  var stored: StoredEvent {
    get throws(LedgerError) {
      var batch = EventBatch()
      try batch.append(newEvent)
      let view = EventView(bytes: batch.bytes.span, position: position, session: commit.session)
      return StoredEvent(copying: view, of: commit)
    }
  }

  /// The event in the form that a batch accepts.
  var newEvent: NewEvent {
    NewEvent(
      kind: kind, version: version, flags: flags, time: time, subject: subject, cause: cause,
      payload: payload, attachment: attachment)
  }
}

/// The mark of a recording: an archive with digests of states, which later builds compare with theirs.
struct ArchivedRecording: Sendable, Hashable {
  /// Whether values and texts were replaced.
  var isRedacted: Bool
}

/// The digest of the state that the build that wrote a recording had at a position.
package struct ArchivedState: Sendable, Hashable {
  package var position: Position
  package var digest: StateDigest
}

/// The last line: it proves that nothing before it is missing or changed.
struct ArchiveEnd: Sendable, Hashable {
  var eventCount: Int
  /// The number of snapshot records.
  var recordCount: Int
  var logDigest: [UInt8]
  /// SHA-256 of all bytes of the archive before this line.
  var hash: [UInt8]
}
