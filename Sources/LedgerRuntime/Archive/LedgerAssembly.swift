/// The state of a new ledger while archives are added to it one after another.
struct LedgerAssembly {
  private let header: ArchiveHeader
  /// The path of the first archive.
  private let first: String
  /// The digest of all events added so far.
  private(set) var digest: LogDigest
  private var snapshot: ArchivedSnapshot?
  /// What the newest archive says as a recording; `nil` if it is none.
  private(set) var recording: ArchiveRecording?
  private var recordCount = 0
  private var eventCount = 0
  private var byteCount = 0
  /// The known digests of the log where archives begin and end, in order.
  private var ends: [LogDigest]
  /// The archives that end before ``digest``, with their ends.
  private var shorter: [(archive: String, end: LogDigest)] = []
  /// The archives that added nothing.
  private var unused: [String] = []

  /// - Parameters:
  ///   - header: The header of the first archive.
  ///   - path: Its path.
  init(_ header: ArchiveHeader, of path: String) {
    self.header = header
    first = path
    digest = header.base
    ends = [header.base]
  }

  var summary: ArchiveSummary {
    ArchiveSummary(
      ledgerID: header.ledgerID, recordCount: recordCount, eventCount: eventCount,
      logDigest: digest, byteCount: byteCount, unusedArchives: unused)
  }

  /// Adds the contents of an archive that the ledger does not have yet.
  mutating func add(
    _ header: ArchiveHeader, of path: String, _ reader: inout ArchiveReader,
    to builder: inout LedgerBuilder
  ) throws(LedgerError) {
    try checkBelongs(header, path)
    let isFirst = byteCount == 0
    let eventCountBefore = eventCount
    var contents = ArchiveContents(header)
    recording = nil
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
      case .recording(let mark): recording = ArchiveRecording(isRedacted: mark.isRedacted)
      case .state(let state): recording?.states.append(state)
      case .end:
        guard try reader.next() == nil else {
          throw .archive(line: number + 1, .damaged("it follows the last line"))
        }
        if isFirst { try finishSnapshot(contents, line: number, &builder) }
        byteCount += reader.byteCount
        if !isFirst, eventCount == eventCountBefore { unused.append(path) }
        if contents.digest.position < digest.position { shorter.append((path, contents.digest)) }
        ends.append(digest)
        return
      }
    }
    throw .archive(
      line: reader.lineNumber, .damaged("the archive ends before it, without its last line"))
  }

  /// Compares the archives that end before others with the events of the ledger.
  mutating func finish(_ builder: inout LedgerBuilder) throws(LedgerError) {
    guard !shorter.isEmpty else { return }
    try builder.finish()
    let log = builder.construction.source
    var known = header.base
    for (archive, end) in shorter.sorted(by: { $0.end.position < $1.end.position }) {
      let nearest = ends.last { $0.position <= end.position } ?? known
      if nearest.position > known.position { known = nearest }
      while known.position < end.position {
        let next = try known.continued(over: log, through: end.position)
        guard next.position > known.position else { throw .missingEvents(after: known.position) }
        known = next
      }
      guard known == end else { throw .otherEvents(archive, through: end.position) }
    }
  }

  private func checkBelongs(_ header: ArchiveHeader, _ path: String) throws(LedgerError) {
    guard header.ledgerID == self.header.ledgerID, header.createdAt == self.header.createdAt else {
      throw LedgerError(
        .invalidArgument,
        "The archives belong to two ledgers, \(self.header.ledgerID) and \(header.ledgerID). Give the archives of one ledger."
      )
    }
    guard header.base.position >= self.header.base.position else {
      throw LedgerError(
        .invalidArgument,
        "The archive \(path) begins after position \(header.base.position), before the first one, \(first), which begins after position \(self.header.base.position). Give the archives in the order of their first events: \(path) before \(first)."
      )
    }
    guard header.base.position <= digest.position else {
      throw LedgerError(
        .invalidArgument,
        "The archive \(path) begins after position \(header.base.position), and the events before it end at position \(digest.position). Give the archives without a gap, in their order."
      )
    }
  }

  private func checkIsWhole() throws(LedgerError) {
    guard snapshot == nil, header.base != .start else { return }
    throw LedgerError(
      .invalidArgument,
      "The archive begins after position \(header.base.position) and has no snapshot, so no whole ledger can be made of it. Also give the archives before it."
    )
  }

  // MARK: Events

  private mutating func add(
    _ event: ArchivedEvent, to contents: inout ArchiveContents, line: Int,
    _ builder: inout LedgerBuilder
  ) throws(LedgerError) {
    if let what = EventContradiction.ofPlace(event.position, kind: event.kind, cause: event.cause) {
      throw .archive(line: line, .damaged(what))
    }
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
      throw .archive(line: line, .damaged("the snapshot does not match these events"))
    }
  }

  /// Checks, where an archive catches up with the earlier ones, that its events are the same.
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
    else { throw .archive(line: line, .damaged("its snapshot does not match these events")) }
    recordCount = contents.recordCount
    try builder.finishSnapshot(snapshot, of: header, line: line)
  }
}

extension LedgerError {
  fileprivate static func otherEvents(_ archive: String, through end: Position) -> LedgerError {
    LedgerError(
      .corrupt,
      "The archive \(archive) has other events up to position \(end) than the archives around it. Nothing was imported."
    )
  }
}
