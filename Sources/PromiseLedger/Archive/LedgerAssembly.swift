/// What archives, one after the other, have made of a new ledger so far.
struct LedgerAssembly {
  private let header: ArchiveHeader
  /// Of all events that are there.
  private(set) var digest: LogDigest
  private var snapshot: ArchivedSnapshot?
  private var recordCount = 0
  private var eventCount = 0
  private var byteCount = 0

  /// - Parameter header: Of the first archive.
  init(_ header: ArchiveHeader) {
    self.header = header
    digest = header.base
  }

  var summary: ArchiveSummary {
    ArchiveSummary(
      ledgerID: header.ledgerID, recordCount: recordCount, eventCount: eventCount,
      logDigest: digest, byteCount: byteCount)
  }

  /// Adds what an archive holds and is not there yet.
  mutating func add(
    _ header: ArchiveHeader, _ reader: inout ArchiveReader, to builder: inout LedgerBuilder
  ) throws(LedgerError) {
    try checkBelongs(header)
    let isFirst = byteCount == 0
    var contents = ArchiveContents(header)
    if header.base.position == digest.position { try compare(contents, line: 1) }
    while let (line, hash) = try reader.next() {
      let number = reader.lineNumber
      switch try contents.take(line, number: number, hashBefore: hash) {
      case .snapshot(let snapshot):
        if isFirst { self.snapshot = snapshot }
      case .entity(let entity):
        if isFirst { try builder.put(entity) }
      case .attachment(let attachment):
        if isFirst { try builder.put(attachment.content, at: attachment.position) }
      case .tombstone(let id):
        if isFirst { try builder.putTombstone(id) }
      case .event(let event):
        if isFirst { try checkIsWhole() }
        try add(event, to: &contents, line: number, &builder)
      case .end:
        guard try reader.next() == nil else {
          throw .archive(line: number + 1, .damaged("it follows the last line"))
        }
        if isFirst { try finishSnapshot(contents, line: number, &builder) }
        byteCount += reader.byteCount
        return
      }
    }
    throw .archive(
      line: reader.lineNumber, .damaged("the archive ends before it, without its last line"))
  }

  private func checkBelongs(_ header: ArchiveHeader) throws(LedgerError) {
    guard header.ledgerID == self.header.ledgerID, header.createdAt == self.header.createdAt else {
      throw LedgerError(
        .invalidArgument,
        "The archives are of two ledgers, \(self.header.ledgerID) and \(header.ledgerID). Give those of one."
      )
    }
    guard header.base.position <= digest.position else {
      throw LedgerError(
        .invalidArgument,
        "The archive begins after position \(header.base.position), and the events before it end at position \(digest.position). Give the archives without a gap, in their order."
      )
    }
  }

  private func checkIsWhole() throws(LedgerError) {
    guard snapshot == nil, header.base != .start else { return }
    throw LedgerError(
      .invalidArgument,
      "The archive begins after position \(header.base.position) and has no snapshot, so no whole ledger can be made of it. Give the archives before it, too."
    )
  }

  // MARK: Events

  private mutating func add(
    _ event: ArchivedEvent, to contents: inout ArchiveContents, line: Int,
    _ builder: inout LedgerBuilder
  ) throws(LedgerError) {
    guard event.position > digest.position else {
      contents.advance(try event.stored, event.attachment)
      if event.position == digest.position { try compare(contents, line: line) }
      return
    }
    let stored = try builder.append(event.newEvent, at: event.position, of: event.commit)
    contents.advance(stored, event.attachment)
    digest = contents.digest
    eventCount += 1
    if digest.position == snapshot?.log.position, digest != snapshot?.log {
      throw .archive(line: line, .damaged("the snapshot is not of these events"))
    }
  }

  /// Where an archive has caught up with those before, its events must have been the same.
  private func compare(_ contents: ArchiveContents, line: Int) throws(LedgerError) {
    guard contents.digest == digest else {
      throw .archive(line: line, .damaged("the archives before it have other events up to there"))
    }
  }

  // MARK: The snapshot

  private mutating func finishSnapshot(
    _ contents: ArchiveContents, line: Int, _ builder: inout LedgerBuilder
  ) throws(LedgerError) {
    try checkIsWhole()
    guard let snapshot else { return }
    guard snapshot.log.position <= digest.position,
      snapshot.log.position > header.base.position || snapshot.log == header.base
    else { throw .archive(line: line, .damaged("its snapshot is not of these events")) }
    recordCount = contents.recordCount
    try builder.finishSnapshot(snapshot, of: header, line: line)
  }
}
