import LedgerSystem

extension LMDBEventStore {
  /// The lock of a file, which the kernel drops when the process dies.
  package func lockForCompaction() throws(LedgerError) -> (any CompactionHold)? {
    try LedgerError.system("The lock of compaction cannot be taken.") {
      () throws(SystemError) -> CompactionFileLock? in
      let file = try FileLock.open(directory.compaction)
      return try file.tryLock() ? CompactionFileLock(file) : nil
    }
  }
}

private final class CompactionFileLock: CompactionHold {
  private let file: FileLock

  init(_ file: FileLock) { self.file = file }

  func release() { file.close() }
}
