import Foundation
import Testing

/// The examples of README and articles are real: their code is compiled, and their links lead
/// somewhere.
@Suite(.timeLimit(.minutes(10)))
struct CodeBlockTests {
  /// Every block of Swift also exists, apart from its indentation and its imports, in a file of
  /// this folder or in a client of the package that is built separately.
  @Test(arguments: try Article.all())
  func everyBlockOfSwiftIsCompiled(article: Article) throws {
    let sources = try Self.sources()
    for block in article.blocks(of: "swift") where !Self.isManifest(block.code) {
      let code = block.code.filter { !$0.hasPrefix("import ") }.drop(while: \.isEmpty)
      let isThere = sources.contains { source in
        source.indices.contains { source[$0...].starts(with: code) }
      }
      #expect(
        isThere,
        """
        \(article.path):\(block.line): this block does not stand in a test:
        \(code.joined(separator: "\n"))
        """)
    }
  }

  @Test func blocksAreFound() throws {
    let counts = try Article.all().map { $0.blocks(of: "swift").count }
    #expect(counts.reduce(0, +) > 30, "Are blocks still written in this way?")
  }

  /// The products in a user's manifest exist in this package.
  @Test(arguments: try Article.all())
  func everyProductInAManifestIsThere(article: Article) throws {
    let manifest = try Article(path: "Package.swift").lines.joined(separator: "\n")
    for block in article.blocks(of: "swift") where Self.isManifest(block.code) {
      for product in block.code.joined().matches(of: /\.product\(name: "([^"]+)"/) {
        #expect(
          manifest.contains(".library(name: \"\(product.1)\""),
          "\(article.path):\(block.line): there is no product \(product.1)")
      }
    }
  }

  @Test(arguments: try Article.all())
  func everyRelativeLinkLeadsSomewhere(article: Article) {
    for link in article.relativeLinks {
      #expect(
        FileManager.default.fileExists(atPath: Article.root.appending(path: link).path),
        "\(article.path) links to \(link), which is not there.")
    }
  }

  /// The README shows an excerpt of the demo; the whole of it has an article.
  @Test func theDemoOutputInTheReadmeIsThatOfItsArticle() throws {
    let demo = try Article(path: "Sources/PromiseLedger/PromiseLedger.docc/TheDemo.md")
    let excerpt = try Article(path: "README.md").blocks(of: "").filter { block in
      block.code.contains { $0.hasPrefix("extension ") }
    }
    #expect(excerpt.count == 1)
    let lines = demo.lines.map { $0.trimmingCharacters(in: .whitespaces) }[...]
    var rest = lines
    for line in excerpt.flatMap(\.code) {
      let place = try #require(rest.firstIndex(of: line), "TheDemo.md lacks or misplaces: \(line)")
      rest = rest[(place + 1)...]
    }
  }

  /// Tables, code and images may be wider.
  @Test(arguments: try Article.all())
  func textIsWrapped(article: Article) {
    var isCode = false
    for (index, line) in article.lines.enumerated() {
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode, line.count > 100, !line.hasPrefix("|"), !line.hasPrefix("![") else { continue }
      // One word, such as a link, cannot be wrapped.
      let words = line.split(separator: " ")
      #expect(words.count <= 2, "\(article.path):\(index + 1) is \(line.count) columns wide.")
    }
  }

  private static func isManifest(_ block: [String]) -> Bool {
    block.contains { $0.contains(".package(") }
  }

  /// The lines of the files that may contain the blocks, without their indentation and imports.
  private static func sources() throws -> [[String]] {
    let folders = ["Tests/PromiseLedgerTests/Documentation", "Tests/Clients"]
    return try folders.flatMap { folder in
      let root = Article.root.appending(path: folder)
      let names = (try? FileManager.default.subpathsOfDirectory(atPath: root.path)) ?? []
      return try names.filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }.sorted().map {
        name in
        try String(contentsOf: root.appending(path: name), encoding: .utf8)
          .components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      }
    }
  }
}
