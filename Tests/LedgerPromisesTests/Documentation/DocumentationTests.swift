import Foundation
import LedgerTestSupport
import Testing

/// The code in the articles of LedgerPromises, and in the comments of its sources, is compiled.
@Suite(.timeLimit(.minutes(10))) struct DocumentationTests {
  @Test func everyBlockOfTheArticlesIsCompiled() throws {
    let articles = try files(in: "Sources/LedgerPromises/LedgerPromises.docc", of: "md")
    #expect(articles.count >= 5)
    try expectBlocks(of: articles, atLeast: 5)
  }

  @Test func everyBlockOfTheCommentsIsCompiled() throws {
    let sources = try files(in: "Sources/LedgerPromises", of: "swift")
    try expectBlocks(of: sources, atLeast: 20)
  }

  private func expectBlocks(of paths: [String], atLeast count: Int) throws {
    let code = try lines(of: "Tests/LedgerPromisesTests/Documentation/DocumentationCode.swift")
    var found = 0
    for path in paths {
      for block in blocks(of: try lines(of: path)) {
        found += 1
        let isThere = code.indices.contains { code[$0...].starts(with: block) }
        #expect(isThere, "\(path):\n\(block.joined(separator: "\n"))")
      }
    }
    #expect(found >= count)
  }

  /// The blocks of Swift, without indentation, imports and the lines between code.
  private func blocks(of lines: [String]) -> [[String]] {
    var blocks: [[String]] = []
    var isInside = false
    for line in lines {
      let text =
        line.hasPrefix("///") ? line.dropFirst(3).trimmingCharacters(in: .whitespaces) : line
      if text.hasPrefix("```") {
        isInside = text == "```swift"
        if isInside { blocks.append([]) }
      } else if isInside, !text.hasPrefix("import "),
        !(text.isEmpty && blocks.last?.isEmpty == true)
      {
        blocks[blocks.count - 1].append(text)
      }
    }
    return blocks
  }

  private func lines(of path: String) throws -> [String] {
    try String(contentsOfFile: "\(SnippetCompiler.packageRoot())/\(path)", encoding: .utf8)
      .components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private func files(in folder: String, of type: String) throws -> [String] {
    let root = SnippetCompiler.packageRoot()
    let files = try #require(FileManager.default.enumerator(atPath: "\(root)/\(folder)"))
    return files.compactMap { $0 as? String }.filter { $0.hasSuffix(".\(type)") }.sorted()
      .map { "\(folder)/\($0)" }
  }
}
