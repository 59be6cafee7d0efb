import CLedgerSystem
import LedgerLibC

/// Files and directories by path. Errors are `SystemError`s that name the C function and the path.
package enum FileSystem {
  /// Creates one directory, whose parent must exist.
  ///
  /// - Throws: `.exists` if the name is taken.
  package static func createDirectory(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
    if unsafe mkdir(path, mode_t(mode)) == -1 { throw SystemError.last("mkdir", path: path) }
  }

  /// Removes a directory, or a file, with everything in it, without following symbolic links.
  ///
  /// Missing files are no error, even if all of them are missing.
  package static func removeTree(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      try DirectoryHandle(parent(of: path)).removeTree(lastComponent(of: path))
    } catch {
      guard error.code == .notFound else { throw error }
    }
  }

  /// The names in a directory, sorted by their bytes, without `.` and `..`.
  package static func list(_ path: String) throws(SystemError) -> [String] {
    try DirectoryHandle(path).list()
  }
}
