import LedgerBytes

/// Reads the lines after the header of one archive, and checks that each is valid at its place.
struct ArchiveContents {
  /// The contents of a line.
  enum Item {
    case snapshot(ArchivedSnapshot)
    case entity(LedgerEntity)
    case attachment(ArchivedAttachment)
    case tombstone(EntityID)
    case event(ArchivedEvent)
    case recording(ArchivedRecording)
    case state(ArchivedState)
    case end
  }

  /// The parts of an archive that may follow, in this order.
  private enum Part: Int, Comparable {
    case snapshot, records, tombstones, events, states

    static func < (left: Part, right: Part) -> Bool { left.rawValue < right.rawValue }
  }

  private let header: ArchiveHeader
  /// The digest of all events up to the newest one read.
  private(set) var digest: LogDigest
  private(set) var recordCount = 0
  private var eventCount = 0
  private var part = Part.snapshot
  private var hasSnapshot = false
  private var snapshotPosition = Position.start
  /// The id of the newest record or tombstone. Records come first, then tombstones, both in the order of
  /// their ids.
  private var lastID: EntityID?
  private var attachments: NamedAttachments
  /// The position of the newest digest of a state; `nil` before the first.
  private var statePosition: Position?
  /// The attachments of the newest record that have not been read yet.
  private var owned: ArraySlice<AttachmentReference> = []

  init(_ header: ArchiveHeader) {
    self.header = header
    digest = header.base
    attachments = NamedAttachments(after: header.base.position)
  }

  /// Reads the next line.
  mutating func take(
    _ line: [UInt8], number: Int, hashBefore: SHA256Hasher
  ) throws(LedgerError) -> Item {
    do throws(ArchiveProblem) {
      return try take(try ArchiveLine(parsing: line), hashBefore)
    } catch {
      throw .archive(line: number, error)
    }
  }

  /// Advances past the event that was returned last.
  mutating func advance(_ event: StoredEvent, _ attachment: [UInt8]) {
    digest = digest.adding(event, attachment: attachment)
    eventCount += 1
  }

  private mutating func take(
    _ line: ArchiveLine, _ hashBefore: SHA256Hasher
  ) throws(ArchiveProblem) -> Item {
    if case .attachment(let attachment) = line { return try take(attachment) }
    guard owned.isEmpty else { throw .damaged("a value of the record before it is missing") }
    switch line {
    case .header: throw .damaged("a second header")
    case .attachment: throw .damaged("no record owns this value")
    case .snapshot(let snapshot):
      guard part == .snapshot, !hasSnapshot, header.base.position > .start,
        snapshot.log.position >= header.base.position
      else { throw .damaged("a snapshot cannot be here") }
      guard snapshot.horizon.position <= snapshot.log.position else {
        throw .damaged("its horizon comes after its position")
      }
      hasSnapshot = true
      snapshotPosition = snapshot.log.position
      return .snapshot(snapshot)
    case .record(let record): return try take(record)
    case .tombstone(let id):
      try enter(.tombstones, id)
      return .tombstone(id)
    case .event(let event):
      guard part < .states else { throw .damaged("no event follows the mark of a recording") }
      part = .events
      let next = digest.position.advanced(by: 1)
      guard event.position == next else {
        throw .damaged("it has position \(event.position), but \(next) must come next")
      }
      let isFirst = event.kind == .ledgerCreated && digest.position == .start
      guard !isFirst || event.subject == header.ledgerID.entityID else {
        throw .damaged("it creates a ledger other than that of the header")
      }
      try attachments.check(event)
      return .event(event)
    case .recording(let recording):
      guard part == .events else { throw .damaged("the mark of a recording cannot be here") }
      part = .states
      return .recording(recording)
    case .state(let state):
      try check(state)
      return .state(state)
    case .end(let end):
      try check(end, hashBefore.finish().bytes)
      return .end
    }
  }

  /// Enters a part of the snapshot.
  private mutating func enter(_ part: Part, _ id: EntityID) throws(ArchiveProblem) {
    guard hasSnapshot, part >= self.part else { throw .damaged("it does not belong here") }
    if part > self.part { lastID = nil }
    self.part = part
    if let lastID, id <= lastID { throw .damaged("its id is not after the one before") }
    lastID = id
  }

  private mutating func take(_ record: ArchivedRecord) throws(ArchiveProblem) -> Item {
    try enter(.records, record.id)
    guard let entity = try? LedgerEntity(type: record.type, id: record.id, content: record.content),
      entity.content == record.content, entity.lastPosition <= snapshotPosition
    else { throw .damaged("its content is not the state of a \(record.type)") }
    guard entity.fitsItsKey else { throw .damaged("its id does not follow from its key") }
    owned = try attachments.add(entity)
    recordCount += 1
    return .entity(entity)
  }

  private mutating func take(_ attachment: ArchivedAttachment) throws(ArchiveProblem) -> Item {
    guard let next = owned.popFirst(), next.position == attachment.position,
      next.byteCount == attachment.content.count
    else { throw .damaged("the record before does not own this value") }
    return .attachment(attachment)
  }

  /// Checks that digests of states come in order, after the snapshot.
  private mutating func check(_ state: ArchivedState) throws(ArchiveProblem) {
    let last = statePosition ?? max(snapshotPosition, header.base.position)
    guard part == .states, state.position > last || statePosition == nil && state.position == last,
      state.position <= digest.position
    else { throw .damaged("the digest of a state cannot be here") }
    statePosition = state.position
  }

  private func check(_ end: ArchiveEnd, _ hash: [UInt8]) throws(ArchiveProblem) {
    guard end.eventCount == eventCount else {
      throw .damaged("it counts \(end.eventCount) events, but there are \(eventCount)")
    }
    guard end.recordCount == recordCount else {
      throw .damaged("it counts \(end.recordCount) records, but there are \(recordCount)")
    }
    // The newest frame of a log is never deleted; without it, the head would be unknown.
    guard !hasSnapshot || eventCount > 0 else { throw .damaged("no event follows the snapshot") }
    try attachments.finish()
    guard part < .states || statePosition == digest.position else {
      throw .damaged("the digest of the last state is missing")
    }
    guard end.hash == hash else {
      throw .damaged("its SHA-256 does not match the lines before it")
    }
    guard end.logDigest == digest.bytes else {
      throw .damaged("its log digest does not match the events")
    }
  }
}
