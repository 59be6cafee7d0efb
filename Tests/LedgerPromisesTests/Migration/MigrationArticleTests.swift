import Foundation
import LedgerPromises
import LedgerTestSupport
import Testing

/// The article *From other libraries*: each row of its tables is run, and no row is without a test.
@Suite(.timeLimit(.minutes(10))) struct MigrationArticleTests {
  /// A table of the article, with the file of its rows in this folder.
  struct Table: Sendable, CustomTestStringConvertible {
    /// The heading above it.
    let heading: String
    let file: String
    let rows: [MigrationRow]

    var testDescription: String { heading }
  }

  static let tables = [
    Table(heading: "Where bodies run", file: "BodyRows.swift", rows: BodyRows.rows),
    Table(heading: "Hydra", file: "HydraRows.swift", rows: HydraRows.rows),
    Table(heading: "PromiseKit", file: "PromiseKitRows.swift", rows: PromiseKitRows.rows),
    Table(heading: "Google Promises", file: "GoogleRows.swift", rows: GoogleRows.rows),
    Table(heading: "Cold promises", file: "ColdRows.swift", rows: ColdRows.rows),
  ]

  @Test(arguments: HydraRows.rows) func hydra(row: MigrationRow) async throws {
    try await expectResult(of: row)
  }

  @Test(arguments: PromiseKitRows.rows) func promiseKit(row: MigrationRow) async throws {
    try await expectResult(of: row)
  }

  @Test(arguments: GoogleRows.rows) func googlePromises(row: MigrationRow) async throws {
    try await expectResult(of: row)
  }

  @Test(arguments: ColdRows.rows) func coldPromises(row: MigrationRow) async throws {
    try await expectResult(of: row)
  }

  @Test(arguments: BodyRows.rows) func bodies(row: MigrationRow) async throws {
    try await expectResult(of: row)
  }

  private func expectResult(of row: MigrationRow) async throws {
    let result = try await row.run()
    #expect(result == row.here ?? row.expected)
  }

  // MARK: The article and these files

  @Test func everyTableOfTheArticleHasTests() throws {
    let headings = try MigrationArticle.tables().map { $0.heading }
    #expect(headings == Self.tables.map(\.heading))
  }

  @Test(arguments: tables) func everyRowHasATestAndEveryTestARow(table: Table) throws {
    let article = try MigrationArticle.table(table.heading)
    #expect(article.rows.map(\.theirs) == table.rows.map(\.theirs))
  }

  @Test(arguments: tables) func everyTestRunsTheCodeOfItsRow(table: Table) throws {
    let sources = try MigrationArticle.sources(ofRowsIn: table.file)
    for row in try MigrationArticle.table(table.heading).rows {
      let source = try #require(sources[row.theirs.withoutSpace], "\(row.theirs)")
      #expect(!row.code.isEmpty, "\(row.theirs)")
      for code in row.code {
        #expect(source.contains(code.withoutSpace), "\(row.theirs): \(code)")
      }
    }
  }

  @Test(arguments: tables) func everyDifferenceHasItsReason(table: Table) throws {
    let article = try MigrationArticle.table(table.heading)
    for (row, test) in zip(article.rows, table.rows) where test.here != nil {
      #expect(!row.remark.isEmpty, "\(row.theirs)")
    }
  }
}

/// The tables of the article in the sources.
private struct MigrationArticle {
  struct Row {
    let theirs: String
    let code: [String]
    let remark: String
  }

  let heading: String
  var rows: [Row] = []

  static func table(_ heading: String) throws -> MigrationArticle {
    try #require(try tables().first { $0.heading == heading })
  }

  static func tables() throws -> [MigrationArticle] {
    let path = "Sources/LedgerPromises/LedgerPromises.docc/FromOtherLibraries.md"
    var heading = ""
    var tables: [MigrationArticle] = []
    for line in try lines(of: path) {
      if line.hasPrefix("### ") { heading = String(line.dropFirst(4)) }
      guard line.hasPrefix("|") else { continue }
      if tables.last?.heading != heading { tables.append(MigrationArticle(heading: heading)) }
      tables[tables.count - 1].rows.append(row(line))
    }
    // Without the names of the columns and the line below them.
    for index in tables.indices { tables[index].rows.removeFirst(2) }
    return tables
  }

  private static func row(_ line: String) -> Row {
    let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    // The parts between backticks.
    let code = cells[2].components(separatedBy: "`").enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    return Row(theirs: cells[1], code: code, remark: cells[3])
  }

  /// The source of each row in a file of this folder, by its first column.
  static func sources(ofRowsIn file: String) throws -> [String: String] {
    let text = try lines(of: "Tests/LedgerPromisesTests/Migration/\(file)")
      .joined(separator: "\n").withoutSpace
      // Clocks that tests turn by hand.
      .replacingOccurrences(of: ",clock:clock", with: "")
    var sources: [String: String] = [:]
    for part in text.components(separatedBy: "MigrationRow(\"").dropFirst() {
      let name = part.components(separatedBy: "\",\"")[0]
      sources[name] = String(part.dropFirst(name.count))
    }
    return sources
  }

  private static func lines(of path: String) throws -> [String] {
    try String(contentsOfFile: "\(SnippetCompiler.packageRoot())/\(path)", encoding: .utf8)
      .components(separatedBy: "\n")
  }
}

extension String {
  fileprivate var withoutSpace: String { filter { !$0.isWhitespace } }
}
