import LedgerGzip
import LedgerRuntime

extension LedgerImport {
  /// An import that also reads archives in the gzip format, which it recognises by their first bytes.
  static var ofAnyArchive: LedgerImport {
    var importer = LedgerImport()
    importer.makeDecompressor = { () throws(LedgerError) in try GunzippedArchive() }
    return importer
  }
}

/// The text of a compressed archive.
private final class GunzippedArchive: ArchiveDecompressor {
  private let decompressor: GzipDecompressor

  init() throws(LedgerError) {
    do throws(GzipError) {
      decompressor = try GzipDecompressor()
    } catch {
      throw LedgerError(error)
    }
  }

  func next(_ read: () throws(LedgerError) -> [UInt8]) throws(LedgerError) -> [UInt8] {
    try decompressor.next(read) { LedgerError($0) }
  }
}

extension LedgerError {
  fileprivate init(_ error: GzipError) {
    switch error {
    case .damaged:
      self.init(
        .corrupt,
        "The archive is damaged: its gzip data or checksum is wrong. Nothing was imported. Use another copy."
      )
    case .truncated:
      self.init(
        .corrupt,
        "The archive is damaged: its gzip data ends too early. Nothing was imported. Use another copy."
      )
    case .trailingBytes:
      self.init(
        .corrupt,
        "The archive is damaged: something follows its gzip data. Nothing was imported. Use another copy."
      )
    case .outOfMemory, .unusable:
      self.init(
        .ioFailure,
        "The archive cannot be decompressed: zlib failed. Decompress it with gunzip, and import the result.",
        cause: error)
    }
  }
}
