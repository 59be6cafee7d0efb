import Foundation
import Testing

/// The article *Developing* names targets, folders and files, which must stay up to date.
@Suite(.timeLimit(.minutes(10)))
struct DevelopingTests {
  private let lines: [Substring]

  init() throws {
    let file = SourceFile.root.appending(
      path: "Sources/PromiseLedger/PromiseLedger.docc/Developing.md")
    lines = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
  }

  @Test func everyTargetIsListed() throws {
    let rows = try rows(of: "| target |")
    #expect(
      Set(rows.filter { !$0.contains("/") }) == Set(try folders(in: "Sources")),
      "The table of targets in Developing.md does not match the folder Sources.")
  }

  @Test func everyFolderIsListedBehindThoseThatItUses() throws {
    let rows = try rows(of: "| folder |")
    #expect(
      rows.sorted() == (try folders(in: "Sources/LedgerModel")),
      "The table of folders in Developing.md does not match Sources/LedgerModel.")
    let uses = try FolderTable(of: "Sources/LedgerModel").uses
    for (index, folder) in rows.enumerated() {
      let later = uses[folder, default: []].subtracting(rows[..<index])
      #expect(later == [], "\(folder) uses folders that Developing.md lists behind it.")
    }
  }

  @Test func everyPathLeadsSomewhere() {
    let paths = lines.flatMap(codes(in:)).filter { code in
      code.contains("/") && !code.contains { " (<*".contains($0) }
    }
    #expect(paths.count > 15, "Are paths still written in this way?")
    let folders = ["", "Sources/", "Tests/"]
    for path in paths {
      #expect(
        folders.contains { folder in
          FileManager.default.fileExists(atPath: SourceFile.root.path + "/" + folder + path)
        }, "Developing.md names \(path), which is not there.")
    }
  }

  /// The names in code font in the first column of a table.
  private func rows(of heading: String) throws -> [String] {
    let start = try #require(lines.firstIndex { $0.hasPrefix(heading) })
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.flatMap { row in
      codes(in: row.split(separator: "|")[0])
    }
  }

  /// The words in code font.
  private func codes(in line: Substring) -> [String] {
    line.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  private func folders(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      at: SourceFile.root.appending(path: folder), includingPropertiesForKeys: [.isDirectoryKey]
    ).filter(\.hasDirectoryPath).map(\.lastPathComponent).sorted()
  }
}
