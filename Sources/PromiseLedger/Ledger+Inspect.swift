extension Ledger {
  /// Opens a ledger for inspection only: it creates no session, writes no event, sends no signal and consumes
  /// nothing.
  ///
  /// A process may inspect a ledger that it has open, and open a ledger that it inspects. Until it is closed,
  /// an inspector keeps the files open and holds a lock, so close it before the process is suspended, just as
  /// you freeze the ledger. Closing it stops counts, replays, and a verification that is still checking
  /// pages; a verification that is reading events, and an export, finish first.
  ///
  /// - Parameters:
  ///   - path: The directory of the ledger.
  ///   - locking: Whether the reader registers in LMDB's lock file. Pass `false` to read a directory that
  ///     this process may not write to. If another process writes at the same time, the data may then change
  ///     while it is read, so use `false` only on a ledger that no process has open.
  /// - Throws: ``LedgerError`` with `notALedger`, `incompatibleFormat`, `corrupt`,
  ///   `permissionDenied`, `tooManyReaders`, `ioFailure`, `invalidArgument`; `CancellationError`.
  public static func inspect(
    at path: String, locking: Bool = true
  ) async throws -> LedgerInspector {
    try await .open { try BlockingInspector(at: path, locking: locking) }
  }
}

extension BlockingInspector {
  /// Opens a ledger for looking only, as ``Ledger/inspect(at:locking:)`` does.
  package convenience init(at path: String, locking: Bool = true) throws(LedgerError) {
    self.init(try LMDBInspection(of: LedgerDirectory(checking: path), locking: locking))
  }

  /// The space that the ledger takes on disk.
  ///
  /// Every page of the data file is checked first, as in ``statistics(progress:)``.
  ///
  /// - Parameter tick: Called now and then; an error ends the check.
  /// - Throws: ``LedgerError`` with `corrupt` if a page is damaged or entries are missing: verify the ledger,
  ///   and restore it from a copy. With `closed` if the inspection is closed: begin another. With
  ///   `ioFailure`; with `invalidArgument` for a ledger that is not stored in files.
  /// - Complexity: O(pages of the file).
  package func space(_ tick: () throws -> Void) throws -> LedgerSpace {
    guard let store = store as? LMDBInspection else {
      throw LedgerError(
        .invalidArgument,
        "The ledger is not stored in files, so it takes no file space. Ask its store for the space."
      )
    }
    // The sizes of tables come from their own records, and cannot be counted in another way.
    try store.checkEveryPage(tick)
    return try store.readingEnvironment { (environment) throws(LedgerError) in
      try LedgerError.mappingAll { try LedgerSpace(of: environment, in: store.directory) }
    }
  }
}
