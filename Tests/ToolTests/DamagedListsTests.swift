import Foundation
import LedgerLMDB
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The tool on ledgers whose lists and tombstones lost entries or have other bytes.
@Suite(.timeLimit(.minutes(10)))
struct DamagedListsTests {
  private static let verbs = [
    ["promises", "--format", "json"],
    ["promises", "--format", "jsonl", "--state", "consumed", "--state", "resolved"],
    ["handlers", "--format", "json"], ["handlers", "--state", "invalidated"],
    ["stats", "--format", "json"], ["digest"], ["export"],
    ["compact", "--keep-records-for", "0", "--format", "json"],
    ["state", "--all", "--format", "json"], ["promises", "--joints", "--format", "jsonl"],
    ["log", "--reverse", "--format", "jsonl"], ["work", "--older", "1h", "--format", "jsonl"],
    ["tree", "--key", "avatar/room@example.org", "--format", "jsonl"],
    ["show", "--key", "gone"], ["show", "--handler-key", "iq-1", "--format", "json"],
  ]

  /// The verbs that are tried with one damaged entry: all of them with a tombstone, of which there are few, and in
  /// a long run; otherwise a third of them, in rotation.
  private static func verbIndices(for number: Int, of table: String) -> [Int] {
    let stride = table == "tombstones" || TestAmount.factor > 1 ? 1 : 3
    return verbs.indices.filter { ($0 + number).isMultiple(of: stride) }
  }

  /// A verb's answer about the ledger, without the counts of files and readers.
  private static func answer(_ verb: [String], _ path: String) throws -> CommandRun {
    try CommandRun([verb[0], path] + verb.dropFirst())
  }

  @Test func noVerbGivesAnotherAnswer() async throws {
    let sample = try await CompactedSampleLedger()
    let whole = try Self.verbs.map { try Self.answer($0, sample.path) }
    #expect(whole.allSatisfy { $0.status == 0 || $0.status == 3 })
    var (problems, runCount, refusedCount) = ([String](), 0, 0)
    for table in ["open", "tombstones"] {
      for (number, entry) in try Self.entries(of: table, in: sample.path).enumerated() {
        var changed: [UInt8]?
        if number.isMultiple(of: 2), !entry.value.isEmpty {
          changed = entry.value
          changed?[number % entry.value.count] ^= 8
        }
        try Self.put(changed, forKey: entry.key, in: table, of: sample.path)
        for index in Self.verbIndices(for: number, of: table) {
          let (verb, whole) = (Self.verbs[index], whole[index])
          let run = try Self.answer(verb, sample.path)
          runCount += 1
          let name = "\(verb) with entry \(number) of \(table) damaged"
          let isSame = run.status == whole.status && Self.isSame(run.output, whole.output, verb)
          if !isSame, run.status != 5 { problems.append("\(name): \(run.status) \(run.output)") }
          if run.status == 5 {
            refusedCount += 1
            problems += Self.problems(name, run, verb)
          }
        }
        if try CommandRun("verify", sample.path).status != 5 { problems.append("verify") }
        try Self.put(entry.value, forKey: entry.key, in: table, of: sample.path)
      }
    }
    print("\(runCount) runs: \(refusedCount) refused, \(problems.count) problems")
    #expect(refusedCount > 0)
    #expect(problems.prefix(20) == [])
    #expect(try CommandRun("verify", sample.path).status == 0)
  }

  /// Whether two outputs agree about the ledger, except for times and free space.
  private static func isSame(_ output: String, _ other: String, _ verb: [String]) -> Bool {
    guard verb[0] == "stats" else { return output == other }
    let counts = [output, other].map { text in
      let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      return (object ?? [:]).filter { !$0.key.hasSuffix("ytes") && $0.key != "tables" }
    }
    return !counts[0].isEmpty && NSDictionary(dictionary: counts[0]).isEqual(to: counts[1])
  }

  /// The problem with the end of output that damage cut off.
  private static func problems(_ name: String, _ run: CommandRun, _ verb: [String]) -> [String] {
    // Damage that is found before any output cuts nothing off.
    if run.output.isEmpty { return [] }
    switch verb[0] {
    case "export":
      return run.output.contains("\n{\"type\":\"end\",") ? ["\(name): \(run.output)"] : []
    // Output that is printed at once cannot be cut off.
    case "stats", "digest", "compact": return ["\(name): \(run.output)"]
    default: break
    }
    let format = verb.firstIndex(of: "--format").map { verb[$0 + 1] } ?? "table"
    let isMarked =
      switch format {
      case "json":
        run.output.hasSuffix("\n{\"incomplete\":true}\n]\n")
          && (try? JSONSerialization.jsonObject(with: Data(run.output.utf8))) != nil
      case "jsonl": run.output.hasSuffix("{\"incomplete\":true}\n")
      default: run.output.hasSuffix("\n(incomplete: the rest cannot be read)\n")
      }
    guard isMarked, run.notes.hasSuffix(" The output is incomplete.\n") else {
      return ["\(name): not marked: \(run.output) \(run.notes)"]
    }
    return []
  }

  // MARK: The store

  private static func edit(
    _ path: String, _ table: String, _ body: (inout WriteTransaction, Table) throws -> Void
  ) throws {
    let environment = try Environment.open(
      at: path + "/generation-000001",
      tables: [
        TableDescription("open", keys: .bytes), TableDescription("tombstones", keys: .bytes),
      ])
    let table = try environment.table(named: table)
    try environment.write { transaction in try body(&transaction, table) }
    try environment.close()
  }

  private static func entries(
    of table: String, in path: String
  ) throws -> [(key: [UInt8], value: [UInt8])] {
    var entries: [(key: [UInt8], value: [UInt8])] = []
    try edit(path, table) { transaction, table in
      try transaction.scan(table, fromKey: [0].span) { key, value in
        entries.append((key.indices.map { key[$0] }, value.indices.map { value[$0] }))
        return true
      }
    }
    return entries
  }

  private static func put(
    _ value: [UInt8]?, forKey key: [UInt8], in table: String, of path: String
  ) throws {
    try edit(path, table) { transaction, table in
      if let value {
        try transaction.put(value.span, forKey: key.span, in: table)
      } else {
        _ = try transaction.delete(forKey: key.span, in: table)
      }
    }
  }
}
