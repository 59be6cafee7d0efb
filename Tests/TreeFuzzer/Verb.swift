import Foundation

/// A way to read a ledger with the tool.
enum Verb: String, CaseIterable {
  case log, stats, promises, open, handlers, show, digest, export, compact, verify
  case reverse, tail, state, past, joints, diff
  case report, graph, overview
  case explain, tree, backup
  case sessions, work, trace

  /// The arguments of the tool.
  ///
  /// - Parameter seed: Chooses the subject that is shown.
  func arguments(of sample: Sample, at path: String, seed: UInt64, timeout: Int) -> [String] {
    words(of: sample, path, seed) + ["--timeout", "\(timeout)"]
  }

  /// The subjects of which it is asked about one; empty if it takes none.
  func subjects(of sample: Sample) -> [[String]] {
    switch self {
    case .show: sample.subjects
    // A session neither waits nor has anything below it.
    case .explain: sample.subjects.filter { $0.count > 1 }
    case .tree: sample.subjects.filter { $0.first == "--key" }
    case .trace: sample.works
    default: []
    }
  }

  /// The number of the subject that a seed chooses.
  func subject(of sample: Sample, seed: UInt64) -> Int {
    Int(seed % UInt64(max(1, subjects(of: sample).count)))
  }

  private func words(of sample: Sample, _ path: String, _ seed: UInt64) -> [String] {
    switch self {
    case .log: ["log", path, "--format", "jsonl"]
    case .stats: ["stats", path, "--format", "json"]
    case .promises:
      ["promises", path, "--format", "jsonl"]
        + ["pending", "resolved", "consumed", "abandoned"].flatMap { ["--state", $0] }
    case .open: ["promises", path, "--state", "pending", "--state", "resolved"]
    case .handlers:
      ["handlers", path, "--format", "jsonl"]
        + ["active", "finished", "invalidated"].flatMap { ["--state", $0] }
    case .show, .explain, .tree:
      [rawValue, path] + subjects(of: sample)[subject(of: sample, seed: seed)]
    // Its chart shows how long ago something was, which changes during a long run.
    case .trace:
      ["trace", path] + subjects(of: sample)[subject(of: sample, seed: seed)]
        + ["--format", "jsonl"]
    case .digest: ["digest", path]
    case .export: ["export", path]
    case .compact: ["compact", path, "--format", "json"]
    case .verify: ["verify", path, "--format", "jsonl"]
    case .reverse: ["log", path, "--reverse", "--format", "jsonl"]
    case .tail: ["log", path, "--tail", "20", "--kind", "promiseResolved", "--format", "jsonl"]
    case .state: ["state", path, "--all", "--format", "jsonl"]
    case .past: ["state", path, "--all", "--at", "\(sample.head)", "--format", "jsonl"]
    case .joints: ["promises", path, "--joints", "--format", "jsonl"]
    // Both sides are read.
    case .diff: ["diff", path, "\(sample.head)", "\(sample.head)", "--format", "jsonl"]
    case .report: ["report", path, "-o", "-"]
    case .graph: ["graph", path, "--format", "dot", "--limit", "5000"]
    case .overview: ["overview", path, "--format", "json"]
    case .backup: ["backup", path, Self.backupPath(of: path)]
    case .sessions:
      ["sessions", path, "--format", "jsonl"]
        + ["alive", "frozen", "dead", "ended"].flatMap { ["--state", $0] }
    case .work: ["work", path, "--format", "jsonl"]
    }
  }

  /// The place of a backup, which is removed after each run.
  static func backupPath(of path: String) -> String { path + ".backup" }

  /// The exit codes for an intact sample. The overview finds things that are stuck in it.
  var fineStatuses: ClosedRange<Int32> { self == .overview ? 0...1 : 0...0 }

  /// Whether the output before the damage was found is marked as incomplete.
  ///
  /// - Parameter hasEnded: Whether it ended by itself, and could list its findings.
  func isMarked(_ run: ProgramRun, hasEnded: Bool) -> Bool {
    let text = run.text
    let isTold = run.notes.contains("The output is incomplete.")
    switch self {
    case _ where text.isEmpty: return !run.notes.isEmpty
    case .verify where hasEnded && text.contains("\"severity\":\"corrupt\"") && !isTold: return true
    case .log, .promises, .handlers, .verify, .reverse, .tail, .state, .past, .joints, .diff,
      .sessions, .work:
      return isTold && text.hasSuffix("{\"incomplete\":true}\n")
    case .open, .show: return isTold && text.hasSuffix("\n(incomplete: the rest cannot be read)\n")
    case .export: return !text.contains("\n{\"type\":\"end\",")
    case .report: return !text.hasSuffix("</html>\n")
    // They print everything at once, after all was read.
    case .stats, .digest, .compact, .graph, .overview, .explain, .tree, .backup, .trace:
      return false
    }
  }

  /// Its output about the ledger, without what is not part of it: the free space, the processes that read, the
  /// path, and the time at which a page was made.
  func content(of run: ProgramRun) -> [UInt8] {
    switch self {
    case .stats:
      return changedMembers(of: run) { members in
        for name in ["fileBytes", "freeBytes", "reservedBytes", "readers"] { members[name] = nil }
      }
    case .overview:
      return changedMembers(of: run) { members in
        members["fileBytes"] = nil
        let findings = members["findings"] as? [[String: Any]]
        members["findings"] = findings?.map { $0.filter { $0.key != "next" } }
      }
    case .report:
      return Self.withoutFacts(ofPage: run.output)
    // These lines have the path.
    case .backup, .explain:
      let lines = Answers.lines(run.output).filter {
        !$0.hasPrefix("backup ") && !$0.hasPrefix("command ")
      }
      return Array(lines.joined(separator: "\n").utf8)
    default: return run.output
    }
  }

  /// A page without its facts, among them the time at which it was made.
  static func withoutFacts(ofPage page: [UInt8]) -> [UInt8] {
    var text = String(decoding: page, as: UTF8.self)
    for id in ["meta", "live"] {
      guard let start = text.range(of: "<script type=\"application/json\" id=\"\(id)\">"),
        let end = text[start.upperBound...].range(of: "</script>")
      else { continue }
      text.removeSubrange(start.lowerBound..<end.upperBound)
    }
    return Array(text.utf8)
  }

  private func changedMembers(
    of run: ProgramRun, _ change: (inout [String: Any]) -> Void
  ) -> [UInt8] {
    guard var members = try? JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any]
    else { return run.output }
    change(&members)
    let data = try? JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
    return data.map { Array($0) } ?? run.output
  }
}
