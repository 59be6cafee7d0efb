import LedgerSystem

/// The place of a new ledger: a name in a directory that stays open, so that everything happens in the
/// directory that was checked.
struct LedgerPlace: ~Copyable {
  let parent: DirectoryHandle
  let name: String

  /// - Throws: `invalidArgument` if this is not a possible path of a directory; `notFound` if the parent
  ///   directory is missing.
  init(_ directory: LedgerDirectory) throws(LedgerError) {
    let path = try Self.namedPath(directory.path)
    let parentPath = FileSystem.parent(of: path)
    do throws(SystemError) {
      parent = try DirectoryHandle(parentPath)
    } catch {
      throw .noParent(parentPath, of: directory.path, error)
    }
    name = FileSystem.lastComponent(of: path)
  }

  /// A path whose last component is the directory's own name: not `.`, `..` or a symbolic link.
  static func namedPath(_ path: String) throws(LedgerError) -> String {
    var path = path
    while path.hasSuffix("/.") { path = String(path.dropLast(2)) }
    if path.isEmpty { path = "/" }
    let last = FileSystem.lastComponent(of: path)
    guard [".", "..", "/"].contains(last) || FileSystem.isSymbolicLink(path) else {
      if last == "~" { throw .tilde(path) }
      return path
    }
    do throws(SystemError) {
      return try FileSystem.realPath(path)
    } catch {
      guard error.code == .notFound else {
        throw LedgerError(error, "The ledger cannot be created at \(path).")
      }
      throw LedgerError(
        .notFound,
        "The path \(path) refers to nothing that exists, so no ledger can be created there. Give the path of a new directory.",
        cause: error)
    }
  }
}

extension LedgerError {
  fileprivate static func noParent(
    _ parent: String, of path: String, _ error: SystemError
  ) -> LedgerError {
    switch error.code {
    case .notFound:
      let hint = path.hasPrefix("~") ? " \(tildeHint)" : ""
      return LedgerError(
        .notFound,
        "The directory \(parent), which is to hold the ledger, does not exist. Create it first.\(hint)",
        cause: error)
    case .notDirectory:
      return LedgerError(
        .invalidArgument,
        "\(parent), which is to hold the ledger, is not a directory. Give another path.",
        cause: error)
    default:
      return LedgerError(error, "The ledger cannot be created at \(path).")
    }
  }

  fileprivate static func tilde(_ path: String) -> LedgerError {
    LedgerError(
      .invalidArgument,
      "No ledger is created at \(path). \(tildeHint) For a directory of that name, write ./~.")
  }

  private static var tildeHint: String {
    "The shell expands ~ to the home directory, but this library does not: give the whole path."
  }
}
