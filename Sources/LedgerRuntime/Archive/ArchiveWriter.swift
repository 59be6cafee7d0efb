import LedgerBytes

/// Makes an archive, piece by piece: a header, the snapshot if events were deleted, events, and a last
/// line that proves that nothing is missing.
///
/// It checks the data against the snapshot's own summary as far as possible, and writes no last line if they
/// do not match.
struct ArchiveWriter: Sendable {
  private static let sliceCount = 256
  /// The size at which a piece ends, after the value that reaches it.
  private static let pieceByteCount = 1 << 18

  private enum Step: Sendable {
    case header, snapshot
    /// The records after a given one.
    case records(after: EntityID?)
    case tombstones(after: EntityID?)
    case events
    /// Reads the events after those of the archive, to compare them with the known digest.
    case comparison(LogDigest)
    case states, end, nothing
  }

  private let header: ArchiveHeader
  private let snapshot: SnapshotSummary?
  private let end: Position
  /// The known digest of the log, at a position in the archive or after it.
  private let known: LogDigest
  /// What makes the archive a recording; `nil` for an archive.
  private let recording: ArchiveRecording?
  private var proof: SnapshotProof
  private var step = Step.header
  private var digest: LogDigest
  private var hash = SHA256Hasher()
  private(set) var eventCount = 0
  private var recordCount = 0
  private var byteCount = 0
  /// The contents of the archive, once ``next(from:)`` has returned `nil`.
  private(set) var summary: ArchiveSummary?

  /// Creates a writer for an archive of the whole ledger.
  init(
    of ledgerID: LedgerID, createdAt: Timestamp, _ summary: SnapshotSummary, through end: Position,
    recording: ArchiveRecording? = nil
  ) {
    let deletesAny = summary.deletedThrough > .start
    self.init(
      of: ledgerID, createdAt: createdAt, after: summary.deletedLog,
      snapshot: deletesAny ? summary : nil, through: end, known: summary.logDigest,
      recording: recording)
  }

  /// - Parameters:
  ///   - snapshot: The snapshot, without which no ledger can be made, unless the archive begins with the
  ///     first event.
  ///   - known: The log digest at some position; if that is after `end`, the events up to there are also
  ///     read.
  ///   - recording: The digests of states that make the archive a recording.
  init(
    of ledgerID: LedgerID, createdAt: Timestamp, after base: LogDigest,
    snapshot: SnapshotSummary? = nil, through end: Position, known: LogDigest,
    recording: ArchiveRecording? = nil
  ) {
    header = ArchiveHeader(ledgerID: ledgerID, createdAt: createdAt, base: base)
    self.snapshot = snapshot
    self.end = end
    self.known = known
    self.recording = recording
    proof = SnapshotProof(snapshot ?? SnapshotSummary())
    digest = base
  }

  /// The next bytes, or `nil` after the last.
  ///
  /// - Throws: `compactionBusy` if the snapshot advanced meanwhile; `corrupt`, including when the records or
  ///   the events do not match the snapshot's summary; `unsupportedEvent` if an event has bytes that this
  ///   build does not know.
  mutating func next(
    from source: any LedgerSource
  ) throws(LedgerError) -> [UInt8]? {
    var piece: [UInt8] = []
    switch step {
    case .header:
      try digest.check(known)
      piece = ArchiveLine.header(header).text
      step = snapshot == nil ? .events : .snapshot
    case .snapshot:
      if let snapshot { piece = ArchiveLine.snapshot(ArchivedSnapshot(snapshot)).text }
      step = .records(after: nil)
    case .records(let last):
      piece = try records(after: last, from: source)
    case .tombstones(let last):
      piece = try tombstones(after: last, from: source)
    case .events:
      piece = try events(from: source)
      if digest.position == end { step = .comparison(digest) }
    case .comparison(let last):
      step = try compare(last, with: source)
    case .states:
      piece = states()
      step = .end
    case .end:
      piece = lastLine()
      step = .nothing
    case .nothing:
      return nil
    }
    hash.update(piece.span)
    byteCount += piece.count
    if case .nothing = step {
      summary = ArchiveSummary(
        ledgerID: header.ledgerID, recordCount: recordCount, eventCount: eventCount,
        logDigest: digest, byteCount: byteCount)
    }
    return piece
  }

  /// Returns the next piece, using one short read.
  mutating func next(in turn: CompactionTurn) async throws -> [UInt8]? {
    let (piece, next) = try await turn.step { [self] (store) throws(LedgerError) in
      var next = self
      return (try next.next(from: store), next)
    }
    self = next
    return piece
  }

  /// The contents of the archive.
  var finished: ArchiveSummary {
    get throws(LedgerError) {
      guard let summary else {
        throw LedgerError(.internalInconsistency, "An archive ended without its last line.")
      }
      return summary
    }
  }

  // MARK: The snapshot

  private mutating func records(
    after last: EntityID?, from source: any LedgerSource
  ) throws(LedgerError) -> [UInt8] {
    let page = try page(of: .entities, after: last, in: source) {
      (tables, firsts) throws(LedgerError) in
      // Large records are read in small groups, so that only a few are in memory at a time.
      let group = SnapshotRecord.group(firsts, pieceLimit: Self.sliceCount)
      return Array(zip(group.map(\.id), try tables.join(group)))
    }
    var records: [(record: ArchivedRecord, owned: ArraySlice<AttachmentReference>)] = []
    var wanted: [AttachmentReference] = []
    var byteCount = 0
    for (id, stored) in page {
      guard byteCount < Self.pieceByteCount else { break }
      let stored = try stored.get()
      let record = ArchivedRecord(type: stored.type, id: id, content: stored.content)
      let owned = try proof.add(record).attachments.filter { $0.position <= header.base.position }
      byteCount += owned.reduce(0) { $0 + $1.byteCount }
      wanted += owned.sorted { $0.position < $1.position }
      records.append((record, wanted.suffix(owned.count)))
    }
    let contents = wanted.isEmpty ? [] : try source.attachments(wanted)
    var piece: [UInt8] = []
    for (record, owned) in records {
      piece += ArchiveLine.record(record).text
      for (attachment, content) in zip(owned, contents[owned.indices]) {
        let content = try Self.check(content, ownedBy: record.id)
        piece +=
          ArchiveLine.attachment(
            ArchivedAttachment(position: attachment.position, content: content)
          ).text
      }
    }
    recordCount += records.count
    step = records.last.map { .records(after: $0.record.id) } ?? .tombstones(after: nil)
    return piece
  }

  /// Checks an attachment that a record owns, of an event that was deleted. It stays as long as the record
  /// exists.
  private static func check(
    _ content: Result<[UInt8], LedgerError>, ownedBy id: EntityID
  ) throws(LedgerError) -> [UInt8] {
    do throws(LedgerError) {
      return try content.get()
    } catch {
      guard error.code == .eventsDeleted else { throw error }
      throw SnapshotRecord.damaged(id, "a value that it owns is missing")
    }
  }

  private mutating func tombstones(
    after last: EntityID?, from source: any SnapshotSource
  ) throws(LedgerError) -> [UInt8] {
    var piece: [UInt8] = []
    let tombstones = try page(of: .tombstones, after: last, in: source) { $1 }
    for (id, value) in tombstones {
      try SnapshotRecord.checkTombstone(value, of: id)
      proof.addTombstone(id)
      piece += ArchiveLine.tombstone(id).text
    }
    if tombstones.isEmpty { try proof.finish() }
    step = tombstones.last.map { .tombstones(after: $0.id) } ?? .events
    return piece
  }

  /// Runs `body` on the next entries of a table of the snapshot, which must not have moved since the archive
  /// began.
  private func page<R>(
    of table: SnapshotTable, after last: EntityID?, in source: any SnapshotSource,
    _ body: (any SnapshotTables, [(id: EntityID, piece: [UInt8])]) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try source.readSnapshot { (tables) throws(LedgerError) in
      guard try tables.snapshotPosition() == snapshot?.position else { throw .compactedMeanwhile }
      var entries: [(id: EntityID, piece: [UInt8])] = []
      for (key, value) in try tables.entries(
        of: table, after: last.map(SnapshotRecord.key), limit: Self.sliceCount)
      {
        entries.append((try SnapshotRecord.id(ofKey: key), value))
      }
      return try body(tables, entries)
    }
  }

  // MARK: Events

  private mutating func events(
    from source: any EventSource
  ) throws(LedgerError) -> [UInt8] {
    var piece: [UInt8] = []
    guard digest.position < end else {
      // Only in a damaged ledger does the log end before the last deleted event.
      guard digest.position == end else { throw .missingEvents(after: end) }
      return piece
    }
    let events = try source.storedEvents(
      after: digest.position, through: end, limit: Self.sliceCount,
      attachmentByteLimit: Self.pieceByteCount)
    guard !events.isEmpty else { throw .missingEvents(after: digest.position) }
    for (event, attachment) in events {
      guard event.position == digest.position.advanced(by: 1) else {
        throw .missingEvents(after: digest.position)
      }
      guard event.hasPlainLayout else { throw .unknownLayout(of: event.position) }
      try checkPlace(of: event)
      let attachment = try attachment.get()
      digest = digest.adding(event, attachment: attachment)
      try digest.check(known)
      piece += ArchiveLine.event(ArchivedEvent(event, attachment: attachment)).text
      eventCount += 1
      if piece.count >= Self.pieceByteCount { break }
    }
    return piece
  }

  /// Rejects positions that no import accepts.
  private func checkPlace(of event: StoredEvent) throws(LedgerError) {
    let view = event.view
    let what = EventContradiction.ofPlace(event.position, kind: view.kind, cause: view.cause)
    if let what { throw .notProven(what) }
    guard view.kind != .ledgerCreated || view.subject == header.ledgerID.entityID else {
      throw .notProven(
        "The event at position \(event.position) creates a ledger other than this one.")
    }
  }

  /// Continues after the last event of the archive, to the position of the known digest.
  private func compare(
    _ last: LogDigest, with source: any EventSource
  ) throws(LedgerError) -> Step {
    guard last.position < known.position else { return .states }
    let next = try last.continued(over: source, through: known.position)
    guard next.position > last.position else { throw .missingEvents(after: last.position) }
    try next.check(known)
    return .comparison(next)
  }

  private func states() -> [UInt8] {
    guard let recording else { return [] }
    let mark = ArchivedRecording(isRedacted: recording.isRedacted)
    return recording.states.reduce(into: ArchiveLine.recording(mark).text) { text, state in
      text += ArchiveLine.state(state).text
    }
  }

  private func lastLine() -> [UInt8] {
    ArchiveLine.end(
      ArchiveEnd(
        eventCount: eventCount, recordCount: recordCount, logDigest: digest.bytes,
        hash: hash.finish().bytes)
    ).text
  }
}

extension ArchivedSnapshot {
  init(_ summary: SnapshotSummary) {
    log = summary.logDigest
    time = summary.time
    stateDigest = summary.stateDigest
    horizon = summary.horizon
  }
}

extension LedgerError {
  fileprivate static func unknownLayout(of position: Position) -> LedgerError {
    LedgerError(
      .unsupportedEvent,
      "The event at position \(position) has bytes that this build does not know, so it cannot be exported whole. Update the library."
    )
  }

  fileprivate static var compactedMeanwhile: LedgerError {
    LedgerError(
      .compactionBusy, "The ledger was compacted while it was exported. Export it again.")
  }
}
