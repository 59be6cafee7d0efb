import Crypto

/// The writing of an archive: a text that holds every event of a ledger and proves that none is
/// missing.
///
/// Take piece after piece with ``next()`` until there is none. The archive is made of the events
/// that were there when the export began, whatever is written meanwhile, and one ledger makes one
/// archive, byte by byte. It holds one piece in memory: some hundred events, or one large value.
///
/// To export a ledger that is open, see ``Ledger/export(_:)``.
public struct LedgerExport: Sendable {
  private let source: any EventSource
  private var progress: ArchiveProgress

  init(of source: any EventSource, _ progress: ArchiveProgress) {
    self.source = source
    self.progress = progress
  }

  /// The next bytes of the archive, or `nil` after the last.
  ///
  /// - Throws: ``LedgerError`` with `corrupt` at a damaged event; what was made so far is then no
  ///   archive, because it has no last line.
  public mutating func next() throws(LedgerError) -> [UInt8]? {
    try progress.next(from: source)
  }

  /// What the archive holds, once ``next()`` has returned `nil`.
  public var summary: ArchiveSummary? { progress.summary }
}

extension Ledger {
  /// Writes every event as an archive.
  ///
  /// - Parameter sink: Gets the bytes of the archive, piece after piece.
  /// - Throws: ``LedgerError`` with `corrupt` or `closed`, what `sink` throws, and
  ///   `CancellationError`. What was written so far is then no archive: it has no last line.
  @discardableResult
  public func export(_ sink: ([UInt8]) async throws -> Void) async throws -> ArchiveSummary {
    let header = try await engine.withStore { (store) throws(LedgerError) in
      (store.ledgerID, store.createdAt, try store.head())
    }
    var progress = ArchiveProgress(
      ArchiveHeader(ledgerID: header.0, createdAt: header.1, base: .start), through: header.2)
    while true {
      try Task.checkCancellation()
      let last = progress
      let (piece, next) = try await engine.withStore { (store) throws(LedgerError) in
        var next = last
        return (try next.next(from: store), next)
      }
      progress = next
      guard let piece else { break }
      try await sink(piece)
    }
    guard let summary = progress.summary else {
      throw LedgerError(.internalInconsistency, "An export ended without its last line.")
    }
    return summary
  }
}

/// How far the writing of an archive has come.
struct ArchiveProgress: Sendable {
  private static let eventCount = 256
  /// A piece ends after the value that reaches this size.
  private static let pieceByteCount = 1 << 18

  private enum Step { case header, events, end, nothing }

  private let header: ArchiveHeader
  private let end: Position
  private var step = Step.header
  private var digest: LogDigest
  private var hash = SHA256()
  private var eventCount = 0
  private var byteCount = 0
  private(set) var summary: ArchiveSummary?

  init(_ header: ArchiveHeader, through end: Position) {
    self.header = header
    self.end = end
    digest = header.base
  }

  mutating func next(from source: any EventSource) throws(LedgerError) -> [UInt8]? {
    var piece: [UInt8]
    switch step {
    case .header:
      piece = ArchiveLine.header(header).text
      step = digest.position < end ? .events : .end
    case .events:
      piece = try events(from: source)
      if digest.position == end { step = .end }
    case .end:
      piece = lastLine()
      step = .nothing
    case .nothing:
      return nil
    }
    hash.update(data: piece)
    byteCount += piece.count
    if step == .nothing {
      summary = ArchiveSummary(
        ledgerID: header.ledgerID, eventCount: eventCount, logDigest: digest, byteCount: byteCount)
    }
    return piece
  }

  private mutating func events(from source: any EventSource) throws(LedgerError) -> [UInt8] {
    var piece: [UInt8] = []
    let events = try source.storedEvents(
      after: digest.position, through: end, limit: Self.eventCount)
    guard !events.isEmpty else { throw .missingEvents(after: digest.position) }
    for event in events {
      guard event.hasPlainLayout else { throw .unknownLayout(of: event.position) }
      let attachment = try source.attachment(of: event)
      digest = digest.adding(event, attachment: attachment)
      piece += ArchiveLine.event(ArchivedEvent(event, attachment: attachment)).text
      eventCount += 1
      if piece.count >= Self.pieceByteCount { break }
    }
    return piece
  }

  private func lastLine() -> [UInt8] {
    ArchiveLine.end(
      ArchiveEnd(
        eventCount: eventCount, recordCount: 0, logDigest: digest.bytes,
        hash: Array(hash.finalize()))
    ).text
  }
}

extension LedgerError {
  fileprivate static func unknownLayout(of position: Position) -> LedgerError {
    LedgerError(
      .unsupportedEvent,
      "The event at position \(position) has bytes that this build does not know, so it cannot be exported whole. Update the library."
    )
  }
}
