/// The paths inside a ledger's directory; see the article *File format*.
package struct LedgerDirectory: Sendable, Hashable {
  package let path: String

  package init(_ path: String) {
    var path = path
    while path.count > 1, path.last == "/" { path.removeLast() }
    self.path = path
  }

  /// Checks a path from a caller.
  ///
  /// - Throws: `invalidArgument` if it is not a possible path of a directory.
  package init(checking path: String) throws(LedgerError) {
    guard !path.isEmpty else {
      throw LedgerError(
        .invalidArgument, "The path is empty. Give the path of the ledger's directory.")
    }
    guard !path.utf8.contains(0) else {
      throw LedgerError(
        .invalidArgument, "The path contains a null byte, so no file can have it. Give another.")
    }
    self.init(path)
  }

  package static let firstGeneration = "generation-000001"
  package static let sessionsName = "sessions"

  package var current: String { path + "/CURRENT" }
  package var gate: String { path + "/gate" }
  package var compaction: String { path + "/compaction" }
  package var wake: String { path + "/wake" }
  package var sessions: String { "\(path)/\(Self.sessionsName)" }

  package func generation(_ name: String) -> String { path + "/" + name }
}
