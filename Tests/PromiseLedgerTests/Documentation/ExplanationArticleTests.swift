import LedgerModelTestSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The article *Why something waits* has each reason and each action once, and its code runs.
@Suite(.timeLimit(.minutes(10)))
struct ExplanationArticleTests {
  private static let folder = "Sources/LedgerModel/Explanation"

  private static func article() throws -> Article {
    try Article(path: "Sources/PromiseLedger/PromiseLedger.docc/WhySomethingWaits.md")
  }

  /// The names in the first cells of the tables whose heading begins with a word.
  private static func rows(under heading: String) throws -> [String] {
    var isInside = false
    return try article().lines.compactMap { line in
      guard line.hasPrefix("| ") else {
        isInside = isInside && line.hasPrefix("|")
        return nil
      }
      if line.hasPrefix("| \(heading) |") { isInside = true }
      return isInside ? line.firstMatch(of: /^\| `(\w+)` \|/).map { String($0.1) } : nil
    }
  }

  /// The names of the cases of the enumerations in a file.
  private static func cases(in file: String) throws -> [String] {
    try Article(path: "\(folder)/\(file).swift").lines.compactMap {
      $0.firstMatch(of: /^ {4}case (?!nil)(\w+)/).map { String($0.1) }
    }
  }

  @Test func everyReasonHasARow() throws {
    let names = ExplanationSample.all.map(\.name)
    #expect(try Self.rows(under: "reason") == names)
    let families = [
      "Wait", "Parking", "LaneBlock", "Run", "Due", "Deadline", "Outside", "Call", "Block",
    ]
    let count = try families.map { try Self.cases(in: "Explanation+\($0)").count }.reduce(0, +)
    #expect(count == names.count, "Is there a sample of each reason?")
  }

  @Test func everyActionHasARow() throws {
    let cases = try Article(path: "\(Self.folder)/Explanation+Remedy.swift").lines.compactMap {
      $0.firstMatch(of: /^ {4}case (\w+)/).map { String($0.1) }
    }
    #expect(cases.count > 15)
    #expect(try Self.rows(under: "action") == cases)
  }

  @Test func anAppExplainsItsWork() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let uploaded = try await ledger.createPromise(of: String.self)
    let published = try await uploaded.then(PublishImage.self, ["album": "Iceland"])
    var lines: [String] = []
    func show(_ reason: String, _ remedies: [String]) { lines += [reason] + remedies }

    if let explanation = try await ledger.explanation(of: published.id) {
      for reason in explanation.reasons {
        show(reason.description, reason.remedies.map(\.description))
      }
    }

    #expect(lines.count == 2)
    #expect(
      lines.first?.hasPrefix("Its code runs when promise \(uploaded.id) is fulfilled") == true)

    func log(_ text: String) { lines.append(text) }
    for reason in try await ledger.explanation(of: published.id)?.reasons ?? [] {
      guard case .waits(.forPromise(let awaited, _, _)) = reason else { continue }
      log("It waits for promise \(awaited).")
    }

    #expect(lines.last == "It waits for promise \(uploaded.id).")
    await ledger.close()
  }
}
