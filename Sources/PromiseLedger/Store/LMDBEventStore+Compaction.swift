package import LedgerSystem

extension LMDBEventStore {
  /// Takes a file lock, which the kernel drops when the process dies.
  package func lockForCompaction() throws(LedgerError) -> (any CompactionHold)? {
    try LedgerError.system("The ledger's compaction lock cannot be locked.") {
      () throws(SystemError) -> FileLock? in
      let file = try FileLock.open(directory.compaction)
      return try file.tryLock() ? file : nil
    }
  }
}

extension FileLock: CompactionHold {
  package func release() { close() }
}
