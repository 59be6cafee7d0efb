internal import CLedgerLMDB
internal import LedgerLibC
internal import LedgerSystem

/// Makes a new data file appear all at once.
///
/// LMDB writes both meta pages of a new file in one write that it does not sync, so a power cut
/// leaves a file that cannot be opened. Here LMDB creates the file in a directory of its own; the
/// file is synced, and only then linked to its name. `link` fails if another process was first, so
/// a live file is never replaced.
enum DirectoryCreation {
  /// Creates the directory itself, but not its parents, readable by its owner only.
  static func createDirectory(_ directory: String) throws(LMDBError) {
    do throws(SystemError) {
      try FileSystem.createDirectory(directory)
    } catch {
      guard error.code == .exists else { throw LMDBError(error, .createFile) }
    }
  }

  static func createDataFile(
    in path: String, _ configuration: Configuration
  ) throws(LMDBError) {
    let name = "data.mdb"
    let directory = try LMDBError.mapping(.createFile) { () throws(SystemError) in
      try DirectoryHandle(path)
    }
    guard (try? directory.facts(of: name)) == nil else { return }
    let temporary = try LMDBError.mapping(.createFile) { () throws(SystemError) in
      try directory.createUniqueDirectory(for: name)
    }
    defer { try? directory.removeTree(temporary) }

    let seam = CallSeam(configuration.faults)
    let made = "\(path)/\(temporary)/\(name)"
    try makeEmptyFile(in: "\(path)/\(temporary)", configuration, seam)
    try seam.system(.syncFile, path) { () throws(SystemError) in try FileSystem.syncFile(made) }
    let status = seam(.createFile) { unsafe link(made, "\(path)/\(name)") == 0 ? 0 : errno }
    guard status == .success || status == .system(.exists) else {
      throw LMDBError(status, .createFile, path: path)
    }
    try seam.system(.syncFile, path) { () throws(SystemError) in try directory.sync() }
  }

  private static func makeEmptyFile(
    in directory: String, _ configuration: Configuration, _ seam: CallSeam
  ) throws(LMDBError) {
    var created: OpaquePointer?
    try seam.require(.createEnvironment, path: directory) { unsafe mdb_env_create(&created) }
    guard let handle = unsafe created else {
      throw LMDBError(.system(.noMemory), .createEnvironment, path: directory)
    }
    defer { unsafe mdb_env_close(handle) }
    try seam.require(.openEnvironment, path: directory) {
      unsafe mdb_env_open(
        handle, directory, UInt32(MDB_NOTLS | MDB_NOLOCK), mdb_mode_t(DataFile.mode))
    }
  }
}
