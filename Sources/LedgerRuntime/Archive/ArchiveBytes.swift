import LedgerSystem

/// The text of an archive, piece by piece, decompressed if need be.
struct ArchiveBytes: ~Copyable {
  private static let pieceByteCount = 1 << 16
  /// The first bytes of a file in the gzip format. An archive begins with a brace.
  private static let gzipMark: [UInt8] = [0x1F, 0x8B]

  private var file: FileReader
  private let makeDecompressor: LedgerImport.MakeDecompressor?
  private var decompressor: (any ArchiveDecompressor)?
  /// What was read to recognise the format; `nil` before that.
  private var beginning: [UInt8]?

  /// - Parameter makeDecompressor: Called for a file in the gzip format.
  init(
    _ path: String, _ makeDecompressor: LedgerImport.MakeDecompressor?
  ) throws(LedgerError) {
    self.makeDecompressor = makeDecompressor
    do throws(SystemError) {
      file = try FileReader(path)
    } catch {
      guard error.code == .notFound || error.code == .notDirectory else {
        throw LedgerError(error, "The archive cannot be read.")
      }
      throw LedgerError(.notFound, "There is no archive at \(path).", cause: error)
    }
  }

  /// The next bytes; empty at the end.
  ///
  /// - Throws: `corrupt` if a compressed file is damaged; `invalidArgument` if it is compressed and nothing
  ///   decompresses it; the errors of the system.
  mutating func next() throws(LedgerError) -> [UInt8] {
    if beginning == nil { try recognise() }
    guard let decompressor else { return try read() }
    return try decompressor.next { () throws(LedgerError) in try read() }
  }

  /// Looks at the first bytes. A pipe may deliver them one by one.
  private mutating func recognise() throws(LedgerError) {
    var bytes: [UInt8] = []
    while bytes.count < Self.gzipMark.count {
      let more = try readFile()
      if more.isEmpty { break }
      bytes += more
    }
    beginning = bytes
    guard bytes.starts(with: Self.gzipMark) else { return }
    guard let makeDecompressor else { throw .compressedArchive }
    decompressor = try makeDecompressor()
  }

  private mutating func read() throws(LedgerError) -> [UInt8] {
    if let beginning, !beginning.isEmpty {
      self.beginning = []
      return beginning
    }
    return try readFile()
  }

  private mutating func readFile() throws(LedgerError) -> [UInt8] {
    do throws(SystemError) {
      return try file.read(upTo: Self.pieceByteCount)
    } catch {
      throw LedgerError(error, "The archive cannot be read.")
    }
  }
}

extension LedgerError {
  fileprivate static var compressedArchive: LedgerError {
    LedgerError(
      .invalidArgument,
      "The archive is compressed with gzip, which the library does not read. Decompress it with gunzip, or import it with the tool promise-ledger."
    )
  }
}
