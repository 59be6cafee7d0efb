import Foundation
import Testing

/// The README or an article of the documentation.
struct Article: CustomTestStringConvertible {
  /// The path from the root of the package.
  let path: String
  let lines: [String]

  var testDescription: String { path }

  init(path: String) throws {
    self.path = path
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    lines = text.components(separatedBy: "\n")
  }

  /// The root of the package.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The README, the articles on the ledger, and those on its products for tests.
  static func all() throws -> [Article] {
    let folders = [
      "PromiseLedger", "PromiseLedgerPostgreSQL", "PromiseLedgerSwiftTesting",
      "PromiseLedgerTesting",
    ].map { "Sources/\($0)/\($0).docc" }
    let articles = try folders.flatMap { folder in
      let names = try FileManager.default.contentsOfDirectory(
        atPath: root.appending(path: folder).path)
      return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }
    return try (["README.md"] + articles).map(Article.init(path:))
  }

  /// The blocks of code in a language, with the number of the line that each begins in.
  func blocks(of language: String) -> [(line: Int, code: [String])] {
    var blocks: [(line: Int, code: [String])] = []
    var fence: String?
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") {
        fence = fence == nil ? line : nil
        if fence == "```\(language)" { blocks.append((index + 2, [])) }
      } else if fence == "```\(language)" {
        blocks[blocks.count - 1].code.append(line.trimmingCharacters(in: .whitespaces))
      }
    }
    return blocks
  }

  /// The paths that relative links in Markdown lead to, from the root of the package. An image of an
  /// article is named without its folder.
  var relativeLinks: [String] {
    let folder = path.split(separator: "/").dropLast().map { "\($0)/" }.joined()
    return lines.flatMap { line in
      line.matches(of: /\]\(([^)]+)\)/).map { match in
        line.hasPrefix("![") && !match.1.contains("/")
          ? "Resources/\(match.1).svg" : String(match.1)
      }
    }.filter { !$0.contains("://") && !$0.hasPrefix("#") }.map { folder + $0 }
  }
}
