/// A change of the contents of a ledger that is copied, which leaves ids, positions and times as they are.
package protocol ArchiveChange {
  func changed(_ entity: LedgerEntity) throws(LedgerError) -> LedgerEntity

  /// - Parameter entity: The owner of the attachment, unchanged.
  func changed(
    _ attachment: [UInt8], at position: Position, of entity: LedgerEntity
  ) throws(LedgerError) -> [UInt8]

  /// - Parameter isJoint: Whether the subject is settled by other promises.
  func changed(
    _ kind: EventKind, version: UInt16, _ payload: [UInt8], attachment: [UInt8], isJoint: Bool
  ) -> (payload: [UInt8], attachment: [UInt8])

  /// The digest that stands for events that are left out.
  func changed(_ digest: LogDigest) -> LogDigest
}

/// Makes a ledger from the bytes of an archive, with changed contents.
///
/// The archive comes from an ``ArchiveWriter`` of this process, so it is not checked again.
struct ArchiveCopy: ~Copyable {
  private let change: any ArchiveChange
  private var builder: LedgerBuilder
  private var header: ArchiveHeader?
  private var snapshot: ArchivedSnapshot?
  /// The newest record, unchanged: it owns the attachments that follow.
  private var owner: LedgerEntity?
  private var digest = LogDigest.start
  /// The promises that other promises settle.
  private var joints: Set<EntityID> = []
  private var lineNumber = 0

  init(to construction: any LedgerConstruction, _ change: any ArchiveChange) {
    self.change = change
    builder = LedgerBuilder(construction)
  }

  /// Adds the next lines of the archive.
  mutating func add(_ piece: [UInt8]) throws(LedgerError) {
    for line in piece.split(separator: UInt8(ascii: "\n")) {
      lineNumber += 1
      let read: ArchiveLine
      do throws(ArchiveProblem) {
        read = try ArchiveLine(parsing: Array(line))
      } catch {
        throw .archive(line: lineNumber, error)
      }
      try add(read)
    }
  }

  private mutating func add(_ line: ArchiveLine) throws(LedgerError) {
    switch line {
    case .header(var header):
      header.base = change.changed(header.base)
      digest = header.base
      self.header = header
    case .snapshot(let snapshot):
      self.snapshot = snapshot
      noteSnapshotDigest()
    case .record(let record):
      let entity = try LedgerEntity(type: record.type, id: record.id, content: record.content)
      if entity.promise?.isJoint == true { joints.insert(entity.id) }
      owner = entity
      try builder.put(try change.changed(entity))
    case .attachment(let attachment):
      guard let owner else { return }
      try builder.put(
        try change.changed(attachment.content, at: attachment.position, of: owner),
        at: attachment.position)
    case .tombstone(let id): try builder.putTombstone(id)
    case .event(let event): try add(event)
    case .recording, .state, .end: break
    }
  }

  private mutating func add(_ event: ArchivedEvent) throws(LedgerError) {
    if event.kind == PromiseCreated.kind,
      (try? PromiseCreated(decoding: event.payload))?.joint != nil
    {
      joints.insert(event.subject)
    }
    var event = event
    (event.payload, event.attachment) = change.changed(
      event.kind, version: event.version, event.payload, attachment: event.attachment,
      isJoint: joints.contains(event.subject))
    let stored = try builder.append(event.newEvent, at: event.position, of: event.commit)
    digest = digest.adding(stored, attachment: event.attachment)
    noteSnapshotDigest()
  }

  /// The digest of the changed events up to the snapshot takes the place of that of the events as they were.
  private mutating func noteSnapshotDigest() {
    if snapshot?.log.position == digest.position { snapshot?.log = digest }
  }

  /// - Returns: The metadata of the ledger.
  consuming func finish() throws(LedgerError) -> LedgerMetadata {
    guard let header else {
      throw LedgerError(.internalInconsistency, "A ledger was copied without its header.")
    }
    if var snapshot {
      snapshot.stateDigest = builder.edit.new.stateDigest
      try builder.finishSnapshot(snapshot, of: header, line: lineNumber)
    }
    try builder.finish()
    return LedgerMetadata(ledgerID: header.ledgerID, createdAt: header.createdAt)
  }
}

extension Redactor: ArchiveChange {
  package func changed(_ entity: LedgerEntity) throws(LedgerError) -> LedgerEntity {
    try redact(entity)
  }

  package func changed(
    _ attachment: [UInt8], at position: Position, of entity: LedgerEntity
  ) throws(LedgerError) -> [UInt8] {
    try redact(attachment, at: position, of: entity)
  }

  package func changed(
    _ kind: EventKind, version: UInt16, _ payload: [UInt8], attachment: [UInt8], isJoint: Bool
  ) -> (payload: [UInt8], attachment: [UInt8]) {
    redact(kind, version: version, payload, attachment: attachment, isJoint: isJoint)
  }

  package func changed(_ digest: LogDigest) -> LogDigest {
    guard digest.position > .start else { return digest }
    return LogDigest(position: digest.position, bytes: self.digest(digest.bytes))
  }
}

extension InMemoryInspection {
  /// Makes a copy with changed contents of a ledger.
  ///
  /// - Parameter archive: Passes on the bytes of the ledger's archive, piece by piece.
  package init(
    copying archive: (_ add: ([UInt8]) throws -> Void) throws -> Void, _ change: any ArchiveChange
  ) throws {
    let construction = InMemoryConstruction()
    var copy = ArchiveCopy(to: construction, change)
    try archive { piece in try copy.add(piece) }
    let metadata = try copy.finish()
    self.init(construction.ledger, metadata)
  }
}
