/// Makes a ledger of archives.
///
/// The new ledger has the same id, the same snapshot and the same events: it exports the same archive,
/// byte by byte, and replays to the same state.
///
/// The archives are checked to their last lines, and the ledger that was made of them is verified, before
/// it appears at its place; if anything is wrong, nothing is there.
public struct LedgerImport: Sendable {
  /// The longest line in bytes. A value takes 4 bytes for every 3 in its line.
  public var maximumLineSizeInBytes = 64 << 20

  /// Makes an import with the default limit.
  public init() {}

  /// Reads archives and makes the ledger.
  ///
  /// The first archive begins with the first event, or is an export of a ledger whose first events
  /// were deleted. Every further one goes on where the ones before end, or earlier, but not before the
  /// first one begins: then the events that both have must be the same, and its snapshot is not needed.
  /// One that ends earlier still adds nothing; ``ArchiveSummary/unusedArchives`` tells which did. So
  /// the archives that compaction wrote, followed by an export, make a ledger with all events.
  ///
  /// - Parameters:
  ///   - path: The directory of the new ledger. Nothing must be there, or an empty directory.
  ///   - archives: The paths of the archives in their order; each is read once, so it may be a pipe.
  /// - Throws: ``LedgerError`` with `corrupt`, `payloadTooLarge` or `incompatibleFormat`, naming the
  ///   line or the archive; `invalidArgument` if archives do not belong together, or are not in order;
  ///   `alreadyExists`, `notFound`, `permissionDenied`, `diskFull`, `ioFailure`.
  /// - Complexity: O(archives) in time; in memory some megabytes, one line, and what
  ///   ``LedgerInspector/verify(progress:_:)`` takes: O(entities).
  @available(*, noasync, message: "blocks the thread for long")
  @discardableResult
  public func makeLedger(
    at path: String, from archives: [String]
  ) throws(LedgerError) -> ArchiveSummary {
    try assemble(at: path, from: archives, check: Self.verify)
  }

  /// Reads archives and makes the ledger, as `makeLedger` does.
  ///
  /// - Parameter check: Looks at the new ledger before it is moved to its place.
  @available(*, noasync, message: "blocks the thread for long")
  package func assemble(
    at path: String, from archives: [String], check: (LedgerDirectory) throws -> Void
  ) throws(LedgerError) -> ArchiveSummary {
    let directory = try LedgerDirectory(checking: path)
    guard try directory.isVacant() else { throw .somethingIs(at: path) }
    guard let first = archives.first else {
      throw LedgerError(.invalidArgument, "There is no archive to make a ledger of. Give one.")
    }
    let isOneOfMany = archives.count > 1
    var reader = try ArchiveReader(first, maximumLineByteCount: maximumLineSizeInBytes)
    let header = try LedgerError.naming(first, if: isOneOfMany) { () throws(LedgerError) in
      try reader.header()
    }
    var assembly = LedgerAssembly(header, of: first)
    let metadata = LedgerMetadata(ledgerID: header.ledgerID, createdAt: header.createdAt)
    try LMDBEventStore.construct(directory, metadata: metadata) {
      (builder) throws(LedgerError) in
      try LedgerError.naming(first, if: isOneOfMany) { () throws(LedgerError) in
        try assembly.add(header, of: first, &reader, to: &builder)
      }
      for path in archives.dropFirst() {
        reader = try ArchiveReader(path, maximumLineByteCount: maximumLineSizeInBytes)
        try LedgerError.naming(path, if: isOneOfMany) { () throws(LedgerError) in
          try assembly.add(try reader.header(), of: path, &reader, to: &builder)
        }
      }
      try assembly.finish(&builder)
    } check: { unfinished in
      try check(unfinished)
    }
    return assembly.summary
  }

  /// Makes sure that a new ledger is one that verification finds nothing wrong with.
  ///
  /// - Throws: `corrupt` with the first finding.
  private static func verify(_ directory: LedgerDirectory) throws {
    let inspector = try LedgerInspector(directory, locking: false)
    defer { inspector.close() }
    _ = try inspector.verify { finding in
      // Events of newer builds are what they are.
      guard finding.severity == .corrupt else { return }
      let place = finding.position.map { " (position \($0))" } ?? ""
      let subject = finding.subject.map { " (\($0))" } ?? ""
      throw LedgerError(
        .corrupt,
        "Nothing was imported, because what was made of the archive does not fit together\(place)\(subject). Use another copy of the archive. The first finding: \(finding.message)"
      )
    }
  }

  /// Reads one archive and makes the ledger, as with several.
  @available(*, noasync, message: "blocks the thread for long")
  @discardableResult
  public func makeLedger(
    at path: String, from archive: String
  ) throws(LedgerError) -> ArchiveSummary {
    try makeLedger(at: path, from: [archive])
  }
}

extension LedgerError {
  /// Says in which archive a line is that an error names, if there are several.
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

  static func somethingIs(at path: String) -> LedgerError {
    LedgerError(
      .alreadyExists,
      "Something is at \(path) already. Give a path where nothing is; a ledger is never written over."
    )
  }
}
