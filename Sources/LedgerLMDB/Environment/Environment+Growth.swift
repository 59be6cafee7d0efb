internal import CLedgerLMDB
internal import LedgerLibC
internal import LedgerSystem
internal import Synchronization

extension Environment {
  /// Writes zeros behind the end of the data file if the commit would reach it, so that later
  /// commits overwrite written blocks. The commit flushes them together with its pages.
  ///
  /// The zeros can never overwrite a page. The transaction holds LMDB's lock, so no other thread or
  /// process writes pages; and they begin at the end of the file, behind every page that was ever
  /// written, those of aborted transactions included. LMDB ignores bytes behind its last page.
  ///
  /// It does nothing if the disk is nearly full. A failure is only noted: the commit does not need
  /// the zeros, and reports an error of the disk itself. If that is only a short write, the noted
  /// failure tells whether there was no room.
  ///
  /// - Parameters:
  ///   - byteCount: The size of the values that the transaction writes, in bytes.
  ///   - transaction: The running write transaction of this environment.
  package func extendFile(
    _ growth: FileGrowth, for byteCount: Int, in transaction: borrowing WriteTransaction
  ) {
    guard core.configuration.durability == .full else { return }
    try? core.extendFile(growth, for: byteCount)
  }
}

extension EnvironmentCore {
  /// The part of the free space that one step may take.
  private static let shareOfFreeSpace = 16
  private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

  fileprivate func extendFile(_ growth: FileGrowth, for byteCount: Int) throws {
    var descriptor: Int32 = -1
    var info = unsafe MDB_envinfo()
    var statistics = MDB_stat()
    try require(.getDescriptor) { unsafe mdb_env_get_fd(handle, &descriptor) }
    try require(.environmentInfo) { unsafe mdb_env_info(handle, &info) }
    try require(.environmentStatistics) { unsafe mdb_env_stat(handle, &statistics) }
    let pageSize = Int(clamping: statistics.ms_psize)
    let used = unsafe (Int(clamping: info.me_last_pgno) + 1) * pageSize
    // Not `fstat`: when the times of a file were looked at, Linux stamps it anew at the next write,
    // and that makes the commit slower. LMDB sets the offset itself before it uses it.
    let size = Int(lseek(descriptor, 0, SEEK_END))
    guard size > 0,
      let newSize = growth.newSize(for: byteCount, used: used, size: size, pageSize: pageSize),
      try mayExtend(by: newSize - size, to: newSize)
    else { return }
    do throws(LMDBError) {
      try seam.system(.extendFile, path) { () throws(SystemError) in
        for offset in stride(from: size, to: newSize, by: Self.zeros.count) {
          let count = min(Self.zeros.count, newSize - offset)
          try Descriptor.write(Self.zeros[..<count], to: descriptor, at: offset, path: path)
        }
      }
    } catch {
      growthFailure.store(error.status.rawValue, ordering: .relaxed)
      throw error
    }
  }

  /// Whether the disk has plenty of room, and this process may write that far.
  private func mayExtend(by byteCount: Int, to size: Int) throws(SystemError) -> Bool {
    if let limit = Self.fileSizeLimit, UInt64(size) > limit { return false }
    return try FileSystem.freeByteCount(at: path) / Self.shareOfFreeSpace >= byteCount
  }
}
