import Foundation
import Testing

/// The folders of a target and the other folders whose types they use, as `Tools/folder-references`
/// prints them.
struct FolderTable {
  let uses: [String: Set<String>]

  init(of directory: String) throws {
    let process = Process()
    process.executableURL = SourceFile.root.appending(path: "Tools/folder-references")
    process.arguments = [directory]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    var uses: [String: Set<String>] = [:]
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      let (user, used) = (try #require(words.first), try #require(words.last))
      uses[String(user), default: []].insert(String(used))
    }
    self.uses = uses
  }

  /// A cycle of folders, each of which uses the next, and the last the first; `nil` if there is
  /// none.
  var circle: [String]? {
    // A folder that uses no others, or only folders outside cycles, cannot be in a cycle.
    var rest = uses
    while let free = rest.first(where: { $0.value.isDisjoint(with: rest.keys) }) {
      rest[free.key] = nil
    }
    guard var folder = rest.keys.min() else { return nil }
    var path: [String] = []
    while !path.contains(folder) {
      path.append(folder)
      guard let next = rest[folder]?.filter({ rest[$0] != nil }).min() else { return nil }
      folder = next
    }
    return Array(path.drop { $0 != folder })
  }
}
