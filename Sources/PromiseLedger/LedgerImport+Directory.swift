extension LedgerImport {
  /// Reads archives and makes the ledger.
  ///
  /// The first archive begins with the first event, or is an export of a ledger whose first events were
  /// deleted. Every further archive begins where the earlier ones end, or before that, but not before the
  /// first one begins. Events in several archives must be the same, and the snapshot of a further archive is
  /// not needed. An archive that ends before the others adds nothing; ``ArchiveSummary/unusedArchives`` lists
  /// these. So the archives that compaction wrote, followed by an export, make a ledger with all events.
  ///
  /// - Parameters:
  ///   - path: The directory of the new ledger. It must be missing or empty.
  ///   - archives: The paths of the archives, in order; each is read only once, so it may be a pipe.
  /// - Throws: ``LedgerError`` with `corrupt`, `payloadTooLarge` or `incompatibleFormat`, naming the
  ///   line or the archive; `invalidArgument` if archives do not belong together, or are not in order;
  ///   `alreadyExists`, `notFound`, `permissionDenied`, `diskFull`, `ioFailure`.
  /// - Complexity: O(archives) in time; in memory, some megabytes, one line, and the O(entities) of
  ///   ``LedgerInspector/verify(_:)``.
  @available(*, noasync, message: "blocks the thread for long")
  @discardableResult
  public func makeLedger(
    at path: String, from archives: [String]
  ) throws(LedgerError) -> ArchiveSummary {
    try assemble(at: path, from: archives, check: Self.verify)
  }

  /// Reads archives and makes the ledger, as `makeLedger` does.
  ///
  /// - Parameter check: Checks the new ledger before it is moved to its place.
  @available(*, noasync, message: "blocks the thread for long")
  package func assemble(
    at path: String, from archives: [String], check: (LedgerDirectory) throws -> Void
  ) throws(LedgerError) -> ArchiveSummary {
    let directory = try LedgerDirectory(checking: path)
    guard try directory.isVacant() else { throw .somethingIs(at: path) }
    return try assemble(archives) { (metadata, fill) throws(LedgerError) in
      try LMDBEventStore.construct(directory, metadata: metadata, fill, check: check)
    }
  }

  private static func verify(_ directory: LedgerDirectory) throws {
    try NewLedgerCheck.verify(
      directory,
      refusing: "Nothing was imported, because the ledger made from the archive is inconsistent",
      advice: "Use another copy of the archive.")
  }

  /// Reads one archive and makes the ledger, as for several archives.
  @available(*, noasync, message: "blocks the thread for long")
  @discardableResult
  public func makeLedger(
    at path: String, from archive: String
  ) throws(LedgerError) -> ArchiveSummary {
    try makeLedger(at: path, from: [archive])
  }
}
