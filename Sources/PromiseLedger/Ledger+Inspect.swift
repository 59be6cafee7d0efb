extension Ledger {
  /// Opens a ledger for looking only: no session, no event, no signal, no consumption.
  ///
  /// A process may inspect a ledger that it has open, and open one that it inspects. Until it is
  /// closed, an inspection keeps the files open and holds a lock, so close it before the process is
  /// suspended, as you freeze the ledger. Closing it ends what it counts or replays, and a verification
  /// that still looks at pages; one that reads events, and an export, come to their ends first.
  ///
  /// - Parameters:
  ///   - path: The directory of the ledger.
  ///   - locking: Whether the reader registers in LMDB's lock file. Without it a directory can be
  ///     read that this process may not write to. If another process writes at the same time, the
  ///     data may change while it is read. Use it only on a ledger that no process has open.
  /// - Throws: ``LedgerError`` with `notALedger`, `incompatibleFormat`, `corrupt`,
  ///   `permissionDenied`, `tooManyReaders`, `ioFailure`, `invalidArgument`.
  public static func inspect(
    at path: String, locking: Bool = true
  ) throws(LedgerError) -> LedgerInspector {
    LedgerInspector(try LMDBInspection(of: LedgerDirectory(checking: path), locking: locking))
  }
}

extension LedgerInspector {
  /// The space that the ledger takes on disk.
  ///
  /// Every page of the data file is checked first, as in ``statistics(progress:)``.
  ///
  /// - Throws: ``LedgerError`` with `corrupt` if a page is damaged or entries are missing: verify the
  ///   ledger, and restore it from a copy. With `closed` if the inspection is closed: begin another.
  ///   With `ioFailure`; with `invalidArgument` for a ledger that is not kept in files.
  /// - Complexity: O(pages of the file).
  public func space() throws(LedgerError) -> LedgerSpace {
    guard let store = store as? LMDBInspection else {
      throw LedgerError(
        .invalidArgument, "The ledger is not kept in files. Ask its own store for the space.")
    }
    // The sizes of tables are what their records say, and none of it can be counted otherwise.
    if let miscount = try store.checkStructure({}) { throw miscount }
    return try store.readingEnvironment { (environment) throws(LedgerError) in
      try LedgerError.mappingAll { try LedgerSpace(of: environment) }
    }
  }
}
