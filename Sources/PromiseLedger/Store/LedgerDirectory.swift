/// The paths inside a ledger's directory; see the article *File format*.
package struct LedgerDirectory: Sendable, Hashable {
  package let path: String

  package init(_ path: String) {
    var path = path
    while path.count > 1, path.last == "/" { path.removeLast() }
    self.path = path
  }

  package static let firstGeneration = "generation-000001"

  package var current: String { path + "/CURRENT" }
  package var gate: String { path + "/gate" }
  package var compaction: String { path + "/compaction" }
  package var wake: String { path + "/wake" }
  package var sessions: String { path + "/sessions" }

  package func generation(_ name: String) -> String { path + "/" + name }
  package func sessionLock(_ id: SessionID) -> String { sessions + "/\(id).lock" }
}
