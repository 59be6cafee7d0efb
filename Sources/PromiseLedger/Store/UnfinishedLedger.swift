import LedgerSystem

/// A ledger that is being built under a temporary name beside its place.
///
/// Its directory holds a file that its maker has locked, so that what a killed process left can be told
/// from what a living one makes. The file appears in it locked, and the lock outlasts the name: whoever
/// gets the lock of such a file knows that its maker is gone.
struct UnfinishedLedger: ~Copyable {
  private static let lockName = "making"

  let directory: LedgerDirectory
  private let lock: FileLock
  private var isFinished = false

  init(beside path: String) throws(SystemError) {
    let temporary = try FileSystem.createUniqueDirectory(beside: path)
    do throws(SystemError) {
      lock = try Self.lock(in: temporary)
    } catch {
      try? FileSystem.removeTree(temporary)
      throw error
    }
    directory = LedgerDirectory(temporary)
  }

  deinit {
    if !isFinished { try? FileSystem.removeTree(directory.path) }
    lock.close()
  }

  private static func lock(in directory: String) throws(SystemError) -> FileLock {
    let name = "\(directory)/\(lockName)"
    let lock = try FileLock.open(name + ".new")
    guard try lock.tryLock() else { throw SystemError(.exists, "flock", path: name) }
    try FileSystem.rename(name + ".new", to: name)
    return lock
  }

  /// Moves the ledger to its place, where nothing must be, or an empty directory.
  consuming func move(to path: String) throws(SystemError) {
    try FileSystem.remove("\(directory.path)/\(Self.lockName)")
    try FileSystem.rename(directory.path, to: path)
    isFinished = true
  }

  /// Removes what killed processes left beside a path when they made a ledger there.
  ///
  /// What a living process makes stays, and so does what was left before its lock was there.
  static func removeLeftovers(beside path: String) throws(SystemError) {
    for temporary in try FileSystem.uniqueDirectories(beside: path) {
      // What cannot be looked at, or not be removed, stays.
      guard let lock = try? FileLock.openExisting("\(temporary)/\(lockName)") else { continue }
      defer { lock.close() }
      if (try? lock.tryLock()) == true { try? FileSystem.removeTree(temporary) }
    }
  }
}
