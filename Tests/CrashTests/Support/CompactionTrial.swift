import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// Compactions of one history, undisturbed and disturbed: all must come to the same end.
struct CompactionTrial {
  /// Where a compaction in another process is disturbed; see the worker.
  struct Point: CustomStringConvertible {
    let name: String
    let number: Int
    var description: String { "\(name) \(number)" }
    static let none = Point(name: "none", number: 0)
  }

  let history: CompactionHistory
  /// How many points of each name an undisturbed compaction has.
  let counts: [String: Int]
  /// The ledger's answers after the compaction.
  let expected: CompactionCopy.Answers

  init() async throws {
    history = try await CompactionHistory()
    let copy = try history.copy()
    let ledger = try await copy.open()
    let before = try await copy.answers(of: ledger)
    let lines = try await Self.compact(copy, .none, endsWith: .exited(0))
    var counts: [String: Int] = [:]
    for words in lines.map({ $0.split(separator: " ") }) where words.count == 2 {
      counts[String(words[0])] = Int(words[1])
    }
    // No commit is without a point before it and one after it.
    let count = try #require(counts["commits"])
    #expect(counts["before"] == count && counts["after"] == count, "\(lines)")
    #expect(count > 8, "\(lines)")
    self.counts = counts
    expected = try await Self.finish(copy, ledger, before, "undisturbed")
  }

  /// All points of some names.
  func points(_ names: [String]) -> [Point] {
    names.flatMap { name in
      (1...max(1, counts[name] ?? 0)).map { Point(name: name, number: $0) }
    }
  }

  /// Makes another process compact a copy, and continues with the copy when that process has ended.
  ///
  /// - Returns: The output of the process.
  @discardableResult
  func run(_ point: Point, endsWith ending: ChildProcess.Ending) async throws -> [String] {
    let copy = try history.copy()
    // Open while the other one is killed: so its locks are recovered.
    let ledger = try await copy.open()
    let before = try await copy.answers(of: ledger)
    let lines = try await Self.compact(copy, point, endsWith: ending)
    try await expectSame(copy, ledger, before, "\(point)")
    return lines
  }

  /// Continues the compaction of a copy, and expects the result of an undisturbed one.
  func expectSame(
    _ copy: CompactionCopy, _ ledger: Ledger, _ before: CompactionCopy.Answers,
    _ comment: Comment
  ) async throws {
    let answers = try await Self.finish(copy, ledger, before, comment)
    #expect(answers == expected, comment)
  }

  static func compact(
    _ copy: CompactionCopy, _ point: Point, endsWith ending: ChildProcess.Ending,
    flags: [String] = []
  ) async throws -> [String] {
    let worker = try worker(copy, point, flags: flags)
    let lines = await worker.rest()
    #expect(await worker.end() == ending, "\(point): \(lines)")
    return lines
  }

  static func worker(
    _ copy: CompactionCopy, _ point: Point, flags: [String] = []
  ) throws -> WorkerProcess {
    try WorkerProcess(
      ["compact", copy.temporary.path, copy.archives, point.name, "\(point.number)"] + flags)
  }

  /// Continues the compaction, and checks everything before it, after it and after reopening.
  private static func finish(
    _ copy: CompactionCopy, _ ledger: Ledger, _ before: CompactionCopy.Answers,
    _ comment: Comment
  ) async throws -> CompactionCopy.Answers {
    try await copy.check(ledger, against: before, comment)
    let report = try await ledger.compact(.everything(archivedIn: copy.archives))
    #expect(report.problem == nil, comment)
    try await copy.check(ledger, against: before, comment)
    let answers = try await copy.answers(of: ledger)
    await ledger.close()
    let again = try await copy.open()
    #expect(try await copy.answers(of: again) == answers, comment)
    await again.close()
    try expectWholeHistory(of: copy, comment)
    return answers
  }

  private static func expectWholeHistory(of copy: CompactionCopy, _ comment: Comment) throws {
    _ = try WholeHistory(of: copy.temporary, archives: copy.archives, comment)
  }
}
