extension LedgerImport {
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
    return try assemble(archives) { (metadata, fill) throws(LedgerError) in
      try LMDBEventStore.construct(directory, metadata: metadata, fill, check: check)
    }
  }

  private static func verify(_ directory: LedgerDirectory) throws {
    let inspector = LedgerInspector(try LMDBInspection(of: directory, locking: false))
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
