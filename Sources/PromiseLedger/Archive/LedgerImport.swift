import Crypto

/// Makes a ledger of an archive.
///
/// The new ledger has the same id and the same events: it exports the same archive, byte by byte,
/// and replays to the same state.
///
/// The archive is checked to its last line before the ledger appears at its place; if anything is
/// wrong with it, nothing is there.
public struct LedgerImport: Sendable {
  /// The longest line in bytes. A value takes 4 bytes for every 3 in its line.
  public var maximumLineSizeInBytes = 64 << 20

  /// Makes an import with the default limit.
  public init() {}

  /// Reads an archive and makes the ledger.
  ///
  /// - Parameters:
  ///   - archive: The path of the archive; it is read once, so it may be a pipe.
  ///   - path: The directory of the new ledger. Nothing must be there, or an empty directory.
  /// - Throws: ``LedgerError`` with `corrupt`, `payloadTooLarge` or `incompatibleFormat`, naming the
  ///   line; `alreadyExists`, `notFound`, `permissionDenied`, `diskFull`, `ioFailure`.
  /// - Complexity: O(archive); it holds some megabytes, and one line.
  @available(*, noasync, message: "blocks the thread for long")
  @discardableResult
  public func makeLedger(
    at path: String, from archive: String
  ) throws(LedgerError) -> ArchiveSummary {
    let directory = LedgerDirectory(path)
    guard try directory.isVacant() else { throw .somethingIs(at: path) }
    var reader = try ArchiveReader(archive, maximumLineByteCount: maximumLineSizeInBytes)
    guard let (first, _) = try reader.next() else {
      throw .archive(line: 1, .damaged("the archive is empty"))
    }
    guard case .header(let header) = try Self.parse(first, number: 1) else {
      throw .archive(line: 1, .damaged("it is not the header of an archive"))
    }
    guard header.base == .start else {
      throw LedgerError(
        .invalidArgument,
        "The archive begins after position \(header.base.position), so no whole ledger can be made of it. Import one that begins with the first event."
      )
    }
    let metadata = LedgerMetadata(ledgerID: header.ledgerID, createdAt: header.createdAt)
    var reading = ArchiveReading(header)
    try LMDBEventStore.construct(directory, metadata: metadata) {
      (builder) throws(LedgerError) in
      try reading.readLines(of: &reader, into: &builder)
    }
    return ArchiveSummary(
      ledgerID: header.ledgerID, eventCount: reading.eventCount, logDigest: reading.digest,
      byteCount: reader.byteCount)
  }

  fileprivate static func parse(
    _ line: [UInt8], number: Int
  ) throws(LedgerError) -> ArchiveLine {
    do throws(ArchiveProblem) {
      return try ArchiveLine(parsing: line)
    } catch {
      throw .archive(line: number, error)
    }
  }
}

/// What was read of an archive, and what must come next.
private struct ArchiveReading {
  private(set) var digest: LogDigest
  private(set) var eventCount = 0

  init(_ header: ArchiveHeader) {
    digest = header.base
  }

  /// Hands over every event to the builder, and checks the last line.
  mutating func readLines(
    of reader: inout ArchiveReader, into builder: inout LedgerBuilder
  ) throws(LedgerError) {
    while let (line, hash) = try reader.next() {
      let number = reader.lineNumber
      switch try LedgerImport.parse(line, number: number) {
      case .header:
        throw .archive(line: number, .damaged("a second header"))
      case .event(let event):
        try add(event, line: number, to: &builder)
      case .end(let end):
        try check(end, line: number, hash: Array(hash.finalize()))
        guard try reader.next() == nil else {
          throw .archive(line: number + 1, .damaged("it follows the last line"))
        }
        return
      }
    }
    throw .archive(
      line: reader.lineNumber, .damaged("the archive ends before it, without its last line"))
  }

  private mutating func add(
    _ event: ArchivedEvent, line: Int, to builder: inout LedgerBuilder
  ) throws(LedgerError) {
    let next = digest.position.advanced(by: 1)
    guard event.position == next else {
      throw .archive(
        line: line, .damaged("it has position \(event.position), and \(next) must come next"))
    }
    let stored = try builder.append(event.newEvent, at: event.position, of: event.commit)
    digest = digest.adding(stored, attachment: event.attachment)
    eventCount += 1
  }

  private func check(_ end: ArchiveEnd, line: Int, hash: [UInt8]) throws(LedgerError) {
    guard end.eventCount == eventCount, end.recordCount == 0 else {
      throw .archive(
        line: line, .damaged("it counts \(end.eventCount) events, and there are \(eventCount)"))
    }
    guard end.hash == hash else {
      throw .archive(line: line, .damaged("its SHA-256 is not that of the lines before"))
    }
    guard end.logDigest == digest.bytes else {
      throw .archive(line: line, .damaged("its log digest is not that of the events"))
    }
  }
}

extension LedgerError {
  static func somethingIs(at path: String) -> LedgerError {
    LedgerError(
      .alreadyExists,
      "Something is at \(path) already. Give a path where nothing is; a ledger is never written over."
    )
  }
}
