internal import CLedgerLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Makes a new data file appear all at once.
///
/// LMDB writes both meta pages of a new file in one write that it does not sync, so a power cut
/// leaves a file that cannot be opened. Here LMDB makes it in a directory of its own; it is synced,
/// and only then linked to its name. `link` fails when another process was first, so a live file is
/// never replaced.
enum DirectoryCreation {
  /// Makes the directory itself, not those above it, readable by its owner only.
  static func createDirectory(_ directory: String) throws(LMDBError) {
    if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST {
      throw LMDBError(.currentErrno, .createFile, path: directory)
    }
  }

  static func createDataFile(
    in directory: String, _ configuration: Configuration
  ) throws(LMDBError) {
    let target = directory + "/data.mdb"
    guard unsafe access(target, F_OK) != 0 else { return }
    let temporary = try TemporaryDirectory.make(prefix: directory + "/.creating-")
    defer { TemporaryDirectory.remove(temporary) }

    let seam = CallSeam(configuration.faults)
    try makeEmptyFile(in: temporary, configuration, seam)
    let made = temporary + "/data.mdb"
    try FileSync.sync(made, seam)
    let status = seam(.createFile) { unsafe link(made, target) == 0 ? 0 : errno }
    guard status == .success || status == .fileExists else {
      throw LMDBError(status, .createFile, path: directory)
    }
    try FileSync.sync(directory, seam)
  }

  private static func makeEmptyFile(
    in directory: String, _ configuration: Configuration, _ seam: CallSeam
  ) throws(LMDBError) {
    var created: OpaquePointer?
    var status = seam(.createEnvironment) { unsafe mdb_env_create(&created) }
    guard status == .success, let handle = unsafe created else {
      throw LMDBError(status, .createEnvironment, path: directory)
    }
    defer { unsafe mdb_env_close(handle) }
    status = seam(.openEnvironment) {
      unsafe mdb_env_open(
        handle, directory, UInt32(MDB_NOTLS | MDB_NOLOCK), mdb_mode_t(configuration.fileMode))
    }
    guard status == .success else {
      throw LMDBError(status, .openEnvironment, path: directory)
    }
  }
}

/// A directory with a random name, for what is not finished yet.
enum TemporaryDirectory {
  static func make(prefix: String) throws(LMDBError) -> String {
    var template = Array((prefix + "XXXXXX").utf8CString)
    let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe mkdtemp(start) != nil
    }
    guard isMade else { throw LMDBError(.currentErrno, .createFile, path: prefix) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the directory with the files that LMDB makes.
  static func remove(_ path: String) {
    unsafe unlink(path + "/data.mdb")
    unsafe unlink(path + "/lock.mdb")
    unsafe rmdir(path)
  }
}

/// `fsync` of a file or a directory by name.
enum FileSync {
  static func sync(_ path: String, _ seam: CallSeam) throws(LMDBError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LMDBError(.currentErrno, .syncFile, path: path) }
    defer { close(descriptor) }
    let status = seam(.syncFile) { fsync(descriptor) == 0 ? 0 : errno }
    guard status == .success else { throw LMDBError(status, .syncFile, path: path) }
    #if canImport(Darwin)
      _ = fcntl(descriptor, F_FULLFSYNC)
    #endif
  }
}
