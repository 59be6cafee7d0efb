internal import CLedgerLMDB
internal import LedgerLibC
internal import LedgerSystem

extension EnvironmentCore {
  /// A map smaller than this would not help: the problem is something else.
  private static let smallestMapSize = 1 << 20

  /// The divisor for a map that the system refuses. A smaller divisor would take nearly all the
  /// address space that is left, and the process needs some for everything else.
  private static let mapSizeStep = 16

  /// Opens the `MDB_env`, with a smaller map if the system refuses the requested one.
  static func open(
    path: String, identity: FileIdentity, configuration: Configuration
  ) throws(LMDBError) -> EnvironmentCore {
    var mapSize = configuration.mapSize
    while true {
      do throws(LMDBError) {
        let handle = try unsafe openHandle(
          path: path, identity, configuration, mapSize: mapSize)
        let core = unsafe EnvironmentCore(
          handle, path: path, identity: identity, configuration: configuration)
        do throws(LMDBError) {
          _ = try core.checkStaleReaders()
        } catch {
          core.shutDown()
          throw error
        }
        return core
      } catch {
        let isTooLarge = [.noMemory, .invalidArgument].contains(error.status.system)
        guard isTooLarge, error.operation == .openEnvironment,
          mapSize / mapSizeStep >= smallestMapSize
        else { throw error.at(path) }
        mapSize /= mapSizeStep
      }
    }
  }

  private static func openHandle(
    path: String, _ identity: FileIdentity, _ configuration: Configuration, mapSize: Int
  ) throws(LMDBError) -> OpaquePointer {
    let seam = CallSeam(configuration.faults)
    var created: OpaquePointer?
    try seam.require(.createEnvironment) { unsafe mdb_env_create(&created) }
    guard let handle = unsafe created else {
      throw LMDBError(.system(.noMemory), .createEnvironment)
    }
    do {
      try unsafe configure(handle, path: path, configuration, mapSize: mapSize, seam)
      try unsafe requireChecked(handle, identity)
      return unsafe handle
    } catch {
      // "If this function fails, mdb_env_close() must be called to discard the MDB_env handle."
      unsafe mdb_env_close(handle)
      throw error
    }
  }

  private static func configure(
    _ handle: OpaquePointer, path: String, _ configuration: Configuration, mapSize: Int,
    _ seam: CallSeam
  ) throws(LMDBError) {
    try seam.require(.setMapSize) { unsafe mdb_env_set_mapsize(handle, max(0, mapSize)) }
    try seam.require(.setMaximumReaders) {
      unsafe mdb_env_set_maxreaders(handle, UInt32(clamping: configuration.maximumReaders))
    }
    try seam.require(.setMaximumTables) {
      unsafe mdb_env_set_maxdbs(handle, Configuration.maximumTables)
    }
    try seam.require(.openEnvironment) {
      unsafe mdb_env_open(handle, path, configuration.openFlags, mdb_mode_t(DataFile.mode))
    }
    var descriptor: Int32 = -1
    try seam.require(.getDescriptor) { unsafe mdb_env_get_fd(handle, &descriptor) }
    // Programs that this one starts must not inherit the file.
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      throw LMDBError(SystemError.last("fcntl"), .getDescriptor)
    }
  }

  /// LMDB opens the data file by its path, which may now lead to a file other than the one that was
  /// checked.
  private static func requireChecked(
    _ handle: OpaquePointer, _ identity: FileIdentity
  ) throws(LMDBError) {
    var descriptor: Int32 = -1
    _ = unsafe mdb_env_get_fd(handle, &descriptor)
    let facts = try LMDBError.mapping(.getDescriptor) { () throws(SystemError) in
      try FileFacts(of: descriptor, path: "data.mdb")
    }
    guard facts.identity == identity else {
      throw LMDBError(.dataFileReplaced, .openEnvironment)
    }
  }
}

extension Configuration {
  /// `MDB_NOTLS` always: read transactions move between the threads of the pool.
  var openFlags: UInt32 {
    var flags = MDB_NOTLS
    switch access {
    case .readWrite: break
    case .readOnly: flags |= MDB_RDONLY
    case .readOnlyWithoutLock: flags |= MDB_RDONLY | MDB_NOLOCK
    }
    if durability == .noneForTests { flags |= MDB_NOSYNC }
    return UInt32(flags)
  }
}
