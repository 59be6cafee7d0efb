import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// From each stuck situation, the commands that the tool names lead to the cause and to the cure.
@Suite(.timeLimit(.minutes(10)))
struct OnCallTests {
  /// The words of a command line that the tool prints, with values in the places of the names for them.
  private static func words(_ line: some StringProtocol) -> [String] {
    line.split(separator: " ").dropFirst().map { word in
      switch word {
      case "JSON": "1"
      case "TEXT": "on-call"
      default: String(word)
      }
    }
  }

  /// The command below a line of the overview, or beside it.
  private static func next(after finding: String, in overview: String) -> [String]? {
    let lines = overview.split(separator: "\n")
    guard let index = lines.firstIndex(where: { $0.contains("  \(finding) (") }),
      index + 1 < lines.endIndex
    else { return nil }
    return words(lines[index + 1])
  }

  /// The command with a verb among those at the end of an explanation.
  private static func next(_ verb: String, in explanation: String) -> [String]? {
    let lines = explanation.split(separator: "\n").filter {
      $0.hasPrefix("command ") && $0.contains(" promise-ledger \(verb) ")
    }
    return lines.first.map { words($0.drop { $0 != " " }.drop { $0 == " " }) }
  }

  @Test func thereAreTwentySituations() {
    #expect(StuckSituation.all.count >= 20)
    for situation in StuckSituation.all { #expect((1...2).contains(situation.looks.count)) }
  }

  @Test(arguments: StuckSituation.all)
  func theOverviewLeadsToTheCauseAndTheCure(situation: StuckSituation) async throws {
    let sample = try await OnCallLedger(situation.writer, situation.body)
    let overview = try CommandRun(sample.path)
    var command = try #require(
      Self.next(after: situation.finding, in: overview.output), "\(overview.output)")
    for look in situation.looks {
      let run = try CommandRun(command)
      #expect(run.output.contains(look.cause), "\(command): \(run.output) \(run.notes)")
      #expect(run.status == 0)
      if look.next.contains(" ") {
        let words = look.next.split(separator: " ").map(String.init)
        #expect(run.output.contains(words[1]))
        command = [words[0], sample.path, words[1]]
      } else if !look.next.isEmpty {
        command = try #require(Self.next(look.next, in: run.output), "\(run.output)")
      }
    }
    if let cure = situation.cure {
      command = [cure[0], sample.path] + cure.dropFirst() + ["--apply"]
      if ["abandon", "cancel"].contains(cure[0]) { command += ["--reason", "on-call"] }
    }
    #expect(command.contains("--apply"))
    let cure = try CommandRun(command)
    #expect(cure.status == 0, "\(command): \(cure.output) \(cure.notes)")
    let after = try CommandRun(sample.path)
    if let cured = situation.cured {
      #expect(after.output.contains("  \(cured) ("), "\(after.output)")
    }
    #expect(
      after.output.contains("  \(situation.finding) (") == situation.remains, "\(after.output)")
    await sample.close()
  }

  /// The article has a row for each situation, with its finding and the verb of its cure.
  @Test func theArticleHasEverySituation() throws {
    let article = try String(contentsOf: Self.article, encoding: .utf8)
    let rows = article.split(separator: "\n").filter { $0.hasPrefix("| ") }
    for situation in StuckSituation.all {
      let verb = situation.cure?[0] ?? situation.looks.last?.next ?? ""
      #expect(
        rows.contains { $0.contains("| \(situation.finding) |") && $0.contains("`\(verb)") },
        "\(situation.finding): \(verb)")
    }
    let overview = try String(contentsOf: Self.tool, encoding: .utf8)
    #expect(overview.contains("leads from \(StuckSituation.all.count) stuck situations"))
  }

  static let tool = article.deletingLastPathComponent()
    .appendingPathComponent("TheCommandLineTool.md")

  static let article = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/PromiseLedger/PromiseLedger.docc/OnCall.md")

  // MARK: Two order flows

  private static func startOrder(_ writer: OnCallWriter) async throws {
    try await writer.work(7, "fulfil-order")
    try await writer.claim(7, kind: "fulfil-order")
    try await writer.submit(
      FinishStep(
        id: OnCallLedger.promise(7), attempt: 1, step: StepIdentity("charge"),
        result: .returned(typeTag: "string", bytes: Array("\"receipt 9\"".utf8)),
        startedAt: ManualLedgerClock().now()))
  }

  /// The process of the shop was killed after the card was charged.
  @Test func aKilledOrderIsMendedByTheToolAlone() async throws {
    let sample = try await OnCallLedger(.killed, Self.startOrder)
    let id = "\(OnCallLedger.promise(7))"
    let overview = try CommandRun(sample.path)
    #expect(overview.status == 1)
    let next = try #require(
      Self.next(after: "work run by a process that is gone", in: overview.output))
    #expect(next == ["explain", sample.path, id])
    let explained = try CommandRun(next)
    #expect(
      explained.output.contains("\nkind      fulfil-order\nreason    Attempt 1 has run since "))
    #expect(explained.output.contains(", whose process is gone."))
    let trace = try CommandRun("trace", sample.path, id, "--ascii")
    #expect(trace.output.contains("    charge") && trace.output.contains("value \"receipt 9\""))
    let retry = try #require(Self.next("retry", in: explained.output))
    #expect(retry == ["retry", sample.path, id, "--apply"])
    #expect(try CommandRun(retry).status == 0)
    // The step that was finished is kept, so the card is not charged again.
    let after = try CommandRun("work", sample.path, "--kind", "fulfil-order", "--format", "jsonl")
    #expect(after.output.contains(#""workState":"orphaned""#))
    #expect(try CommandRun("trace", sample.path, id, "--ascii").output.contains("receipt 9"))
    await sample.close()
  }

  /// The code of the order throws, and was parked for an operator.
  @Test func aThrowingOrderIsMendedByTheToolAlone() async throws {
    let sample = try await OnCallLedger(.closed) { writer in
      try await Self.startOrder(writer)
      try await writer.fail(7, WorkRetryPolicy(failureLimit: 1, givingUp: .park))
    }
    let overview = try CommandRun(sample.path)
    let next = try #require(
      Self.next(after: "work parked until an operator acts", in: overview.output))
    let explained = try CommandRun(next)
    #expect(
      explained.output.contains("because the code failed once, with smtp 550: no mailbox."))
    let retry = try #require(Self.next("retry", in: explained.output))
    #expect(try CommandRun(retry).status == 0)
    #expect(try CommandRun(sample.path).output.contains("  work due, and no session is open ("))
    await sample.close()
  }
}
