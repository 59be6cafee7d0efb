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
    var template = Array(temporaryName(for: path, suffix: "XXXXXX").utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
    }
    if !made { throw SystemError.last("mkdtemp", path: path) }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Paths that ``createUniqueDirectory(beside:)`` may have made, and that were not renamed yet.
  package static func uniqueDirectories(beside path: String) throws(SystemError) -> [String] {
    let beginning = temporaryName(for: path, suffix: "")
    let slash = beginning.utf8.lastIndex(of: UInt8(ascii: "/"))
    let namePrefix = slash.map { beginning[$0...].dropFirst() } ?? beginning[...]
    let parent = parent(of: beginning)
    return try list(parent)
      .filter { $0.hasPrefix(namePrefix) && $0.utf8.count == namePrefix.utf8.count + 6 }
      .map { "\(parent)/\($0)" }
  }

  /// Renames, replacing a file, or an empty directory, of the new name.
  package static func rename(_ from: String, to: String) throws(SystemError) {
    if systemRename(from, to) == -1 { throw SystemError.last("rename", path: from) }
  }

  /// Renames, unless anything of the new name exists: of several processes exactly one succeeds.
  ///
  /// - Throws: `.exists`, or `.notSupported` where the file system cannot.
  package static func renameExclusively(_ from: String, to: String) throws(SystemError) {
    try SystemError.check(
      unsafe cledger_rename_exclusively(from, to), "renameat2", path: to)
  }

  /// Removes a file or a symbolic link.
  package static func remove(_ path: String) throws(SystemError) {
    if unsafe unlink(path) == -1 { throw SystemError.last("unlink", path: path) }
  }

  /// Removes a directory, or a file, with everything in it, following no symbolic links.
  ///
  /// What is missing, also all of it, is no error.
  package static func removeTree(_ path: String) throws(SystemError) {
    let code = unsafe cledger_remove_tree(path)
    if code == ENOENT { return }
    try SystemError.check(code, "nftw", path: path)
  }

  /// The names in a directory, sorted by their bytes, without `.` and `..`.
  package static func list(_ path: String) throws(SystemError) -> [String] {
    guard let stream = unsafe opendir(path) else { throw SystemError.last("opendir", path: path) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw SystemError.last("readdir", path: path) }
        break
      }
      let name = unsafe String(cString: cledger_entry_name(entry))
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Stands in every temporary name.
  static let temporaryMark = ".new-"

  /// A name in the parent of `path` that nothing else should have.
  static func temporaryName(for path: String, suffix: String) -> String {
    var bytes = Substring(path)
    while bytes.count > 1, bytes.last == "/" { bytes.removeLast() }
    guard let slash = bytes.lastIndex(of: "/") else { return ".\(bytes)\(temporaryMark)\(suffix)" }
    let name = bytes[bytes.index(after: slash)...]
    return "\(bytes[...slash]).\(name)\(temporaryMark)\(suffix)"
  }
}

// Outside of the type, whose method has the same name.

private func systemRename(_ from: String, _ to: String) -> Int32 { unsafe rename(from, to) }
