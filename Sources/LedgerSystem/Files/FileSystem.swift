import CLedgerSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Files and directories by path. Errors are `SystemError`s that name the C function and the path.
package enum FileSystem {
  /// Makes one directory, whose parent must exist.
  ///
  /// - Throws: `.exists` if anything of that name exists.
  package static func createDirectory(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
    if unsafe mkdir(path, mode_t(mode)) == -1 { throw SystemError.last("mkdir", path: path) }
  }

  /// Makes a directory (mode 0700) of a new name in the parent of `path`, from where it can be
  /// renamed to `path`.
  ///
  /// - Returns: Its path. The name starts with a dot, so that listings skip a forgotten one.
  package static func createUniqueDirectory(beside path: String) throws(SystemError) -> String {
    let parent = try DirectoryHandle(parent(of: path))
    let name = try parent.createUniqueDirectory(for: lastComponent(of: path))
    return parent.path(of: name)
  }

  /// Removes a directory, or a file, with everything in it, following no symbolic links.
  ///
  /// What is missing, also all of it, is no error.
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
