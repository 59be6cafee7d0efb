/// Makes a ledger from archives.
///
/// The new ledger has the same id, the same snapshot and the same events: it exports to the same archive,
/// byte by byte, and replays to the same state.
///
/// Before the ledger appears at its place, the archives are checked to their last lines and the new ledger is
/// verified. If any check fails, no ledger appears.
public struct LedgerImport: Sendable {
  /// The maximum length of a line, in bytes. In its line, a value takes 4 bytes for every 3.
  public var maximumLineSizeInBytes = 64 << 20

  /// Decompresses archives in the gzip format; `nil` to refuse them.
  package typealias MakeDecompressor = @Sendable () throws(LedgerError) -> any ArchiveDecompressor
  package var makeDecompressor: MakeDecompressor?

  /// Makes an import with the default limit.
  public init() {}

  /// Reads archives and fills the new ledger that `construct` makes.
  ///
  /// - Parameter construct: Makes a ledger with the given metadata, calls the closure that fills it, and then
  ///   makes it visible.
  @available(*, noasync, message: "blocks the thread for long")
  package func assemble(
    _ archives: [String],
    _ construct: (
      LedgerMetadata, _ fill: (any LedgerConstruction) throws(LedgerError) -> Void
    ) throws(LedgerError) -> Void
  ) throws(LedgerError) -> ArchiveSummary {
    var recording: ArchiveRecording?
    return try assemble(archives, &recording, construct)
  }

  /// Reads archives, as ``assemble(_:_:)`` does.
  ///
  /// - Parameter recording: Receives what the last archive says as a recording; `nil` if it is none.
  @available(*, noasync, message: "blocks the thread for long")
  package func assemble(
    _ archives: [String], _ recording: inout ArchiveRecording?,
    _ construct: (
      LedgerMetadata, _ fill: (any LedgerConstruction) throws(LedgerError) -> Void
    ) throws(LedgerError) -> Void
  ) throws(LedgerError) -> ArchiveSummary {
    guard let first = archives.first else {
      throw LedgerError(
        .invalidArgument, "There is no archive to make a ledger of. Give at least one.")
    }
    let isOneOfMany = archives.count > 1
    var reader = try ArchiveReader(first, for: self)
    let header = try LedgerError.naming(first, if: isOneOfMany) { () throws(LedgerError) in
      try reader.header()
    }
    var assembly = LedgerAssembly(header, of: first)
    let metadata = LedgerMetadata(ledgerID: header.ledgerID, createdAt: header.createdAt)
    try construct(metadata) { (construction) throws(LedgerError) in
      var builder = LedgerBuilder(construction)
      try LedgerError.naming(first, if: isOneOfMany) { () throws(LedgerError) in
        try assembly.add(header, of: first, &reader, to: &builder)
      }
      for path in archives.dropFirst() {
        reader = try ArchiveReader(path, for: self)
        try LedgerError.naming(path, if: isOneOfMany) { () throws(LedgerError) in
          try assembly.add(try reader.header(), of: path, &reader, to: &builder)
        }
      }
      try assembly.finish(&builder)
      try builder.finish()
    }
    recording = assembly.recording
    return assembly.summary
  }
}

extension LedgerError {
  /// Adds the archive to an error that names a line, if there are several archives.
  fileprivate static func naming<Result: ~Copyable>(
    _ archive: String, if isOneOfMany: Bool, _ body: () throws(LedgerError) -> Result
  ) throws(LedgerError) -> Result {
    do throws(LedgerError) {
      return try body()
    } catch {
      guard isOneOfMany else { throw error }
      switch error.code {
      case .corrupt, .incompatibleFormat, .payloadTooLarge:
        throw LedgerError(error.code, "In \(archive): \(error.message)", cause: error.cause)
      default: throw error
      }
    }
  }

  package static func somethingIs(at path: String) -> LedgerError {
    LedgerError(
      .alreadyExists,
      "Something exists at \(path) already. Give a path where nothing exists; an import never overwrites anything."
    )
  }
}
