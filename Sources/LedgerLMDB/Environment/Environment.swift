internal import LedgerSystem
internal import Synchronization

/// An open LMDB environment: a directory with a data file and a lock file, shared by processes.
///
/// Several handles of one process on one directory share one `MDB_env`, with the access of the
/// handle that needs most. ``close()`` ends one handle deterministically; releasing a handle closes
/// it too.
@safe
package final class Environment: Sendable {
  package let path: String
  /// The requested tables, in that order.
  package let tables: [Table]
  let core: EnvironmentCore
  let share: TransactionGate.Share
  /// Whether this handle may write; others that share the core may have more or less access.
  let mayWrite: Bool

  private init(
    _ core: EnvironmentCore, _ share: TransactionGate.Share, path: String,
    mayWrite: Bool, _ tables: [TableDescription]
  ) throws(LMDBError) {
    self.core = core
    self.share = share
    self.path = path
    self.mayWrite = mayWrite
    do {
      self.tables = try core.open(tables, share, mayCreate: mayWrite)
    } catch {
      // A deinit does not run for an object whose properties are not all set.
      EnvironmentRegistry.release(core, share)
      throw error
    }
  }

  deinit {
    // There are no other references to the handle, so none of its transactions runs. The gate only
    // decides which call releases the share.
    try? close()
  }

  /// Opens the environment in the directory at `path`, creating it if access allows.
  ///
  /// - Throws: ``LMDBError``; its `refusal` describes the problem with the file or the place.
  package static func open(
    at path: String, configuration: Configuration = Configuration(), tables: [TableDescription]
  ) throws(LMDBError) -> Environment {
    let seam = CallSeam(configuration.faults)
    let mayCreate = configuration.access == .readWrite && configuration.createsDataFile
    if mayCreate { try DirectoryCreation.createDirectory(path) }
    try FileSystemKind.check(
      path, seam: seam, pretended: configuration.faults?.pretendedFileSystemType)
    if mayCreate { try DirectoryCreation.createDataFile(in: path, configuration) }
    guard let file = try DataFile(path: path + "/data.mdb") else {
      throw LMDBError(.noDataFile, .checkFile, path: path)
    }
    let lockFile = try LockFile(in: path)
    let identity = try file.facts.identity
    let share = TransactionGate.Share()
    let core = try EnvironmentRegistry.share(identity, configuration, share) {
      () throws(LMDBError) -> EnvironmentCore in
      // Only for the first share: the core of the others was checked, and may be being written to.
      let meta = try file.check(seam: seam, isPowerLossSafe: configuration.durability == .full)
      var configuration = configuration
      if configuration.access != .readOnlyWithoutLock {
        configuration.maximumReaders = try lockFile.reserve(
          readers: configuration.maximumReaders)
      }
      let core = try EnvironmentCore.open(
        path: path, identity: identity, configuration: configuration)
      lockFile.giveToOwnerIfMade()
      do throws(LMDBError) {
        try core.checkTrees(
          TreeCheckOrder(
            extent: .paths, tables: tables,
            refusesMiscounts: configuration.access == .readWrite))
        try core.checkFreeList(against: meta)
      } catch {
        core.shutDown()
        throw error
      }
      return core
    }
    do throws(LMDBError) {
      try checkTrees(core, share, configuration, tables)
    } catch {
      EnvironmentRegistry.release(core, share)
      throw error
    }
    return try Environment(
      core, share, path: path, mayWrite: configuration.access == .readWrite, tables)
  }

  /// Refuses new transactions, waits for the running ones of this handle, and releases its share.
  ///
  /// After the last handle of the process on this directory, no descriptor, lock or map is left.
  /// Closing twice is harmless.
  ///
  /// - Throws: ``LMDBRefusal/insideTransaction``.
  package func close() throws(LMDBError) {
    // The handles that a forked child inherited are its parent's to close.
    guard !core.forkGuard.isForkedChild else { return }
    if try core.gate.close(share) { EnvironmentRegistry.release(core, share) }
  }

  package var isClosed: Bool { core.gate.isClosed(share) }

  /// Whether another thread waits for the running transactions to end: a long one should stop.
  package var isAwaited: Bool { core.gate.isAwaited(share) }

  /// Whether the write of a meta page or a change of the map's size failed. Every transaction is
  /// refused from then on; close every handle of this process and reopen.
  package var isPanicked: Bool { core.panicked.load(ordering: .acquiring) }

  /// The table of that name.
  package func table(named name: String) throws(LMDBError) -> Table {
    guard let table = tables.first(where: { $0.name == name }) else {
      throw LMDBError(.unknownTable(name), .openTable, path: path)
    }
    return table
  }
}
