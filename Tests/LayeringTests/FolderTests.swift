import Foundation
import Testing

/// A folder uses only folders below it, so that they can be read one after the other.
@Suite(.timeLimit(.minutes(10)))
struct FolderTests {
  @Test(arguments: [
    "LedgerBytes", "LedgerLMDB", "LedgerModel", "LedgerPromises", "LedgerRuntime",
    "LedgerRuntimeTesting", "LedgerSystem", "PromiseLedger", "PromiseLedgerTesting",
  ])
  func noFolderUsesItselfByWayOfOthers(target: String) throws {
    let table = try FolderTable(of: "Sources/\(target)")
    #expect(table.circle == nil, "The folders of \(target) use each other in a circle.")
  }

  @Test func aCircleIsFound() throws {
    let root = FileManager.default.temporaryDirectory.appending(
      path: "folders-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let files = [
      "Low/A.swift": "struct A { let b: C? }  // not B",
      "Middle/B.swift": "public struct B { let a: A }",
      "High/C.swift": "@frozen public enum C { case b(B) }",
      "Top.swift": "private struct D {}\nlet text = \"A\"",
    ]
    for (path, text) in files {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let table = try FolderTable(of: root.path)
    #expect(table.uses == ["High": ["Middle"], "Low": ["High"], "Middle": ["Low"]])
    #expect(table.circle?.count == 3)
  }
}
