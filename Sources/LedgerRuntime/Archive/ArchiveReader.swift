import LedgerBytes

/// Reads the lines of an archive, and keeps the hash of all lines before the newest.
struct ArchiveReader: ~Copyable {
  private var bytes: ArchiveBytes
  private let maximumLineByteCount: Int
  private var buffer: [UInt8] = []
  private var start = 0
  /// The offset before which there is no line feed.
  private var searched = 0
  private var hash = SHA256Hasher()
  /// The number of the newest line, counted from 1.
  private(set) var lineNumber = 0
  private(set) var byteCount = 0

  init(_ path: String, for importer: LedgerImport) throws(LedgerError) {
    maximumLineByteCount = importer.maximumLineSizeInBytes
    bytes = try ArchiveBytes(path, importer.makeDecompressor)
  }

  /// The next line without its line feed, and the hash of all lines before it; `nil` at the end.
  ///
  /// - Throws: `corrupt` if the last line has no line feed, `payloadTooLarge` for a line that is
  ///   longer than allowed.
  mutating func next() throws(LedgerError) -> (line: [UInt8], hashBefore: SHA256Hasher)? {
    lineNumber += 1
    let end = try findLineFeed()
    guard let end else {
      guard start == buffer.count else {
        throw .archive(line: lineNumber, .damaged("the archive ends inside it"))
      }
      return nil
    }
    let hashBefore = hash
    let line = Array(buffer[start..<end])
    hash.update(line.span)
    hash.update(UInt8(ascii: "\n"))
    byteCount += line.count + 1
    start = end + 1
    searched = start
    return (line, hashBefore)
  }

  /// Reads the first line.
  mutating func header() throws(LedgerError) -> ArchiveHeader {
    guard let (line, _) = try next() else {
      throw .archive(line: 1, .damaged("the archive is empty"))
    }
    do throws(ArchiveProblem) {
      guard case .header(let header) = try ArchiveLine(parsing: line) else {
        throw ArchiveProblem.damaged("it is not the header of an archive")
      }
      return header
    } catch {
      throw .archive(line: 1, error)
    }
  }

  private mutating func findLineFeed() throws(LedgerError) -> Int? {
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        guard end - start <= maximumLineByteCount else { throw lineTooLong }
        return end
      }
      searched = buffer.count
      guard searched - start <= maximumLineByteCount else { throw lineTooLong }
      let piece = try bytes.next()
      if piece.isEmpty { return nil }
      buffer.removeSubrange(..<start)
      searched -= start
      start = 0
      buffer += piece
    }
  }

  private var lineTooLong: LedgerError {
    .archive(
      line: lineNumber,
      .tooLarge("it is longer than the limit of \(maximumLineByteCount) bytes; raise the limit"))
  }
}

extension LedgerError {
  /// The error for a problem with a line of an archive.
  static func archive(line: Int, _ problem: ArchiveProblem) -> LedgerError {
    switch problem {
    case .damaged(let what):
      LedgerError(
        .corrupt, "Line \(line) of the archive is damaged: \(what). Nothing was imported.")
    case .newer(let what):
      LedgerError(
        .incompatibleFormat,
        "Line \(line) of the archive was written by a newer version: \(what). Update the library.")
    case .tooLarge(let what):
      LedgerError(
        .payloadTooLarge,
        "Line \(line) of the archive is too large: \(what). Nothing was imported.")
    }
  }
}
