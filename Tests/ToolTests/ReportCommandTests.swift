import Foundation
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// `report`: the file that it writes. BrowserTests has what a browser makes of it.
@Suite(.timeLimit(.minutes(10)))
struct ReportCommandTests {
  /// A list of the page, by its name, and the number of lines that its blocks claim to have.
  private struct List {
    var lines: [[Any]] = []
    var claimedCount = 0
  }

  /// The lists of a page, and its facts under the name "meta".
  private static func lists(of page: String) throws -> [String: List] {
    var lists: [String: List] = [:]
    let block =
      #/
        <script\ type="application/json"\ (?:data-list|id)="(\w+)"(?:\ data-lines="(\d+)")?>
        ([^<]*)</script>
      /#
    let blocks = page.matches(of: block)
    for block in blocks {
      let name = String(block.output.1)
      for line in block.output.3.split(separator: "\n", omittingEmptySubsequences: true) {
        let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
        lists[name, default: List()].lines.append((value as? [Any]) ?? [value])
      }
      lists[name, default: List()].claimedCount += block.output.2.flatMap { Int($0) } ?? 1
    }
    return lists
  }

  private static func facts(of page: String) throws -> [String: Any] {
    try #require(try lists(of: page)["meta"]?.lines.first?.first as? [String: Any])
  }

  @Test func thePageHasEveryRecordAndEvent() async throws {
    let sample = try await PageSampleLedger()
    let run = try CommandRun("report", sample.path, "-o", "-")
    #expect(run.notes == "" && run.status == 0)
    #expect(run.output.hasPrefix("<!DOCTYPE html>\n") && run.output.hasSuffix("</html>\n"))
    let lists = try Self.lists(of: run.output)
    for (name, list) in lists { #expect(list.lines.count == list.claimedCount, "\(name)") }
    let events = try CommandRun("log", sample.path, "--format", "jsonl").output
    #expect(lists["events"]?.lines.count == events.split(separator: "\n").count)
    #expect(lists["promises"]?.lines.count == 1_003)
    #expect(lists["work"]?.lines.map { $0[0] as? String } == ["fulfilled", "rejected"])
    let facts = try Self.facts(of: run.output)
    #expect((facts["leftOut"] as? [String: String]) == [:])
    #expect((facts["findings"] as? [[String: Any]])?.isEmpty == false)
  }

  /// What is stored cannot end an element, or begin one.
  @Test func storedTextsBeginNoElement() async throws {
    let sample = try await PageSampleLedger()
    let empty = try await WorkHistoryLedger()
    let pages = try [sample.path, empty.path].map { try CommandRun("report", $0, "-o", "-").output }
    for (part, blocks) in [("<script", 6), ("</script", 6), ("<img", 0), ("<x>", 0)] {
      let counts = pages.map { $0.ranges(of: part).count }
      // Without the data, the page has two scripts for each list that is not empty, and the facts.
      let lists = try pages.map { try Self.lists(of: $0).count }
      #expect(counts[0] <= blocks + 4 && counts[0] - counts[1] <= lists[0], "\(part): \(counts)")
    }
    #expect(!pages[0].contains("\u{202E}") && !pages[0].contains("\u{2028}"))
    #expect(!pages[0].contains("\u{1B}"))
  }

  @Test func aFileIsReplacedOnlyByForce() async throws {
    let sample = try await StuckLedger()
    let directory = try TemporaryDirectory()
    let page = "\(directory.path)/page.html"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: page))
    let refused = try CommandRun("report", sample.path, "-o", page)
    #expect(
      refused.notes
        == "promise-ledger: The file \(page) exists. Give another name, or --force to replace it.\n"
    )
    #expect(refused.output == "" && refused.status == 2)
    #expect(try String(contentsOfFile: page, encoding: .utf8) == "mine")
    let forced = try CommandRun("report", sample.path, "-o", page, "--force")
    #expect(forced.notes == "" && forced.output == "" && forced.status == 0)
    #expect(try String(contentsOfFile: page, encoding: .utf8).hasSuffix("</html>\n"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["page.html"])
    await sample.close()
  }

  @Test func whatIsLeftOutIsSaid() async throws {
    let sample = try await PageSampleLedger()
    let run = try CommandRun("report", sample.path, "-o", "-", "--events", "3")
    let lists = try Self.lists(of: run.output)
    #expect(lists["events"]?.lines.count == 3)
    let head = try BlockingInspector(at: sample.path).head.rawValue
    let leftOut = try #require(try Self.facts(of: run.output)["leftOut"] as? [String: String])
    #expect(
      leftOut == [
        "events":
          "The events from 1 to \(head - 3) are not in this page: --events puts more into it.",
        "sessions":
          "1 sessions that ended before event \(head - 2) are not in this page.",
        "work": "2 work that ended before event \(head - 2) are not in this page.",
      ])
    // What is open stays.
    #expect(lists["promises"]?.lines.count == 1_003)
    #expect(try CommandRun("report", sample.path, "-o", "-", "--events", "-1").status == 2)
    #expect(try CommandRun("report", sample.path, "-o", "-", "--events", "500001").status == 2)
  }

  /// Its outcome waits for a consumer, however old it is.
  @Test func settledWorkStaysUntilItIsConsumed() async throws {
    let ledger = try await WorkHistoryLedger()
    try ledger.add(PromiseCreated(typeTag: "int", source: .work(.init(kind: "order"))), at: 0)
    try ledger.add(WorkStarted(attempt: 1), at: 1)
    try ledger.settle(byAttempt: 1, at: 2)
    try ledger.create(2, "mail", at: 3)
    try ledger.createPromise(3, at: 4)
    let run = try CommandRun("report", ledger.path, "-o", "-", "--events", "1")
    let work = try #require(try Self.lists(of: run.output)["work"]?.lines)
    let records = work.compactMap { $0.last as? [String: Any] }
    let lifetimes = Dictionary(
      records.map { ($0["handlerKind"] as? String ?? "", $0["lifetime"] as? String ?? "") },
      uniquingKeysWith: { $1 })
    // The page does not offer to abandon what needs no consumption.
    #expect(lifetimes == ["order": "", "mail": "untilSettled"])
    #expect(run.status == 0)
  }

  @Test func itEndsAsOtherVerbsDo() async throws {
    let sample = try await StuckLedger()
    let pipe = try CommandRun(intoClosedPipe: "report", sample.path, "-o", "-")
    #expect(pipe.notes == "" && pipe.status == 0)
    #expect(try CommandRun("report", sample.path).status == 2)
    #expect(try CommandRun("report", "/nothing", "-o", "-").status == 3)
    let unwritable = try CommandRun("report", sample.path, "-o", "/no\u{1B}such/page.html")
    #expect(unwritable.notes.hasPrefix("promise-ledger: The file /no\\u{1B}such/page.html cannot"))
    #expect(!unwritable.notes.contains("\u{1B}") && unwritable.status == 74)
    await sample.close()
  }

  /// Bytes of the file are changed. There is a page, or none and the right exit code.
  @Test func damageLeavesNoHalfFile() async throws {
    let sample = try await WorkSampleLedger()
    let directory = try TemporaryDirectory()
    let data = URL(fileURLWithPath: "\(sample.path)/generation-000001/data.mdb")
    await sample.close()
    let whole = try Data(contentsOf: data)
    let page = "\(directory.path)/page.html"
    for seed in TestAmount.seeds(12) {
      var random = SeededGenerator(seed: seed)
      var damaged = whole
      for _ in 0..<8 {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      try damaged.write(to: data)
      let run = try CommandRun("report", sample.path, "-o", page, "--timeout", "10")
      #expect([0, 1, 3, 5, 6].contains(run.status), "seed \(seed): \(run.status) \(run.notes)")
      let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      if files.contains("page.html") {
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.hasSuffix("</html>\n"), "seed \(seed)")
        for (name, list) in try Self.lists(of: text) {
          #expect(list.lines.count == list.claimedCount, "seed \(seed): \(name)")
        }
        try FileManager.default.removeItem(atPath: page)
      } else {
        #expect(run.status != 0, "seed \(seed)")
      }
    }
  }
}
