internal import CLedgerLMDB
internal import LedgerLibC
internal import LedgerSystem
internal import Synchronization

extension Environment {
  /// Resizes the map to `size` bytes, once every transaction of this process has ended.
  ///
  /// Only for platforms with little address space. `mdb_env_set_mapsize`: "It may be called at
  /// later times if no transactions are active in this process. Note that the library does not
  /// check for this condition". It would unmap the file under a live reader, so new transactions
  /// wait meanwhile.
  ///
  /// - Throws: ``LMDBRefusal/insideTransaction``.
  package func grow(to size: Int) throws(LMDBError) {
    try core.setMapSize(size, share)
  }

  /// Writes, and enlarges the memory map and begins anew if the map is too small.
  ///
  /// - Parameter body: What to write; it may run several times.
  package func writeGrowing(_ body: (inout WriteTransaction) throws -> Void) throws {
    while true {
      do {
        return try write(body)
      } catch let error as LMDBError where error.status == .mapFull {
        try grow(to: 2 * info().mapSize)
      }
    }
  }
}

extension EnvironmentCore {
  /// "If a new size is 0, the current size of another process is adopted" (`MDB_MAP_RESIZED`).
  func setMapSize(_ size: Int, _ share: TransactionGate.Share) throws(LMDBError) {
    try refuseFork()
    try gate.excludingTransactions(.setMapSize, share) { () throws(LMDBError) in
      let status = seam(.setMapSize) { unsafe mdb_env_set_mapsize(handle, max(0, size)) }
      if status == .success { return }
      // C unmaps before it maps again. A map is left only if the call refuses to begin.
      if status != .system(.invalidArgument) { panicked.store(true, ordering: .releasing) }
      throw LMDBError(status, .setMapSize, path: path)
    }
  }

  /// Does what a commit needs beyond LMDB to survive a power cut on this platform.
  func flushAfterCommit() throws(LMDBError) {
    #if canImport(Darwin)
      // LMDB 0.9 calls fsync, which on Apple's systems does not empty the drive's cache.
      guard configuration.durability == .full else { return }
      var descriptor: Int32 = -1
      guard unsafe mdb_env_get_fd(handle, &descriptor) == 0,
        fcntl(descriptor, F_FULLFSYNC) == 0
      else { throw LMDBError(SystemError.last("fcntl", path: path), .syncFile) }
    #endif
  }
}
