public import LedgerRuntimeTesting
import PromiseLedger

extension LedgerStorage {
  /// A directory of its own under `/tmp`, which is deleted with the tester.
  ///
  /// Use it where the test is about files. In memory, a test does the same in less time.
  ///
  /// - Throws: When a process opens the ledger, `LedgerError` with `ioFailure` or `permissionDenied` if the
  ///   directory cannot be made.
  public static let files = LedgerStorage { (time) throws(LedgerError) in
    let temporary = try TemporaryLedger()
    let directory = try LedgerDirectory(checking: temporary.path)
    let options = StoreOptions(sizeLimit: 1 << 30)
    return Place(sessions: FileSessionRegistry(in: directory)) { () throws(LedgerError) in
      // The directory exists as long as this closure.
      try LMDBEventStore.openOrCreate(
        LedgerDirectory(temporary.path), options: options,
        newLedgerID: LedgerID(entityID: EntityID(high: 0, low: 1)), now: time)
    }
  }
}
