public import LedgerRuntime

extension LedgerImport {
  /// Reads archives and makes a ledger on a PostgreSQL server, as the owner of the schema.
  ///
  /// The archives may come from a ledger of any kind; see `LedgerImport` for what makes them complete. The new
  /// ledger appears once all of it is written and verified.
  ///
  /// - Parameters:
  ///   - place: The name of the new ledger, in a schema that exists.
  ///   - archives: The paths of the archives, in order; each is read only once, so it may be a pipe.
  /// - Throws: ``LedgerError`` with `corrupt`, `payloadTooLarge` or `incompatibleFormat`, naming the line or the
  ///   archive; `invalidArgument` if archives do not belong together, or are not in order; `alreadyExists`,
  ///   `notFound`, `notALedger`, `notDurable`, `permissionDenied`, `diskFull`, `unavailable`, `ioFailure`;
  ///   `commitOutcomeUnknown` if the connection was lost at the last moment.
  /// - Complexity: O(archives) in time; in memory, some megabytes, one line, and the O(entities) of a
  ///   verification.
  @available(*, noasync, message: "blocks the thread for long")
  @discardableResult
  public func makeLedger(
    at place: PostgreSQLLedger, from archives: [String]
  ) throws(LedgerError) -> ArchiveSummary {
    try assemble(archives) { (metadata, fill) throws(LedgerError) in
      try place.construct(metadata, fill)
    }
  }
}
