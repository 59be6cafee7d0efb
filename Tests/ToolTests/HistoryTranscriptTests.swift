import Foundation
import PromiseLedger
import Testing

/// The drawings in the article *The command-line tool* are those of the tool.
@Suite(.timeLimit(.minutes(10)))
struct HistoryTranscriptTests {
  /// An order that awaits its child for days, and work that follows it.
  private static func sample() async throws -> WorkHistoryLedger {
    let day = 86_400.0
    let ledger = try await WorkHistoryLedger()
    try ledger.create(1, "fulfil-order", label: "Order 7")
    try ledger.create(3, "mail", .after(WorkHistoryLedger.promise(1), .fulfilled))
    try ledger.add(WorkStarted(attempt: 1), at: 0.2)
    try ledger.step(StepIdentity("charge"), 1, from: 0.2, to: 1.4, "\"receipt 9\"")
    try ledger.create(2, "ship", parent: 1, at: 1.4)
    try ledger.add(
      WorkReleased(
        attempt: 1, reason: .waiting,
        condition: WorkCondition(promises: [WorkHistoryLedger.promise(2)])), at: 1.5)
    try ledger.add(WorkStarted(attempt: 1), on: 2, at: 2)
    try ledger.settle(2, byAttempt: 1, at: 2 * day)
    try ledger.add(WorkStarted(attempt: 2), at: 2 * day + 0.1, by: 0xA2)
    try ledger.step(StepIdentity("email"), 2, from: 2 * day + 0.1, to: 2 * day + 0.4, "", by: 0xA2)
    try ledger.add(WorkReleased(attempt: 2, reason: .died), at: 2 * day + 60)
    try ledger.add(WorkStarted(attempt: 3), at: 2 * day + 61)
    try ledger.settle(byAttempt: 3, at: 2 * day + 61.5)
    try ledger.add(WorkStarted(attempt: 1), on: 3, at: 2 * day + 61.6)
    try ledger.settle(
      3, byAttempt: 1, .rejected,
      StoredError(domain: "smtp", code: 550, message: "no mailbox").encoded, at: 2 * day + 62)
    return ledger
  }

  /// The lines of a block of the article behind a command.
  private static func transcript(of verb: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(
        path: "Sources/PromiseLedger/PromiseLedger.docc/TheCommandLineTool.md"), encoding: .utf8)
    let command = "$ promise-ledger \(verb) PATH \(WorkHistoryLedger.id(1))\n"
    let start = try #require(article.range(of: command)).upperBound
    let end = try #require(article.range(of: "```", range: start..<article.endIndex)).lowerBound
    return String(article[start..<end])
  }

  @Test(arguments: ["tree", "trace"])
  func theArticleShowsTheOutput(verb: String) async throws {
    let ledger = try await Self.sample()
    let run = try CommandRun(verb, ledger.path, WorkHistoryLedger.id(1).description)
    let transcript = try Self.transcript(of: verb)
    #expect(run.output == transcript)
    #expect(run.notes == "" && run.status == 0)
  }
}
