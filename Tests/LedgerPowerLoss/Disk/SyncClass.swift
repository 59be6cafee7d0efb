import Foundation

/// The guarantee of a file system that a sync asks for: the call, and its purpose.
package struct SyncClass: Hashable, Sendable, CustomStringConvertible {
  let call: String
  let role: String

  package var description: String { "\(call) of \(role)" }
}

extension SyncClass {
  /// - Parameter path: The path of the file, relative to the directory that holds the ledgers.
  init(_ call: String, path: [String]) {
    var path = path
    // A new ledger, or a new generation of its files.
    let isInTheMaking = path.enumerated().contains { index, name in
      (index == 0 || index < path.count - 1) && name.hasPrefix(".") && name.contains(".new-")
    }
    let isArchive = path.first == "archives"
    if !path.isEmpty { path[0] = isArchive ? "archives" : "ledger" }
    let last = path.last.map(Self.finalName) ?? ""
    let role =
      switch path.count {
      case 0: "the parent directory"
      case 1: isArchive ? "the directory of archives" : "the ledger's directory"
      case 2 where isArchive: "an archive"
      case 2 where last.hasPrefix("generation-"): "the generation's directory"
      default: last
      }
    self.role = isInTheMaking ? role + " in the making" : role
    // LMDB syncs each commit, and the whole file is synced at the end: one of both is enough there.
    self.call = isInTheMaking && role == "data.mdb" ? "any sync" : call
  }

  /// The name that a file with a temporary one is to get.
  private static func finalName(_ name: String) -> String {
    guard name.hasPrefix("."), let mark = name.range(of: ".new-") else { return name }
    return String(name[..<mark.lowerBound].dropFirst())
  }
}
