import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The tool on copies of ledgers whose file was damaged: it ends, by itself, with an exit code that
/// tells the truth.
struct DamagedCopiesTests {
  private static let copyCount = 500
  private static let verbs = [
    ["log"], ["stats"], ["digest"], ["export"], ["compact"],
    ["promises", "--state", "pending", "--state", "resolved", "--state", "consumed"],
    ["handlers", "--state", "active", "--state", "finished", "--state", "invalidated"],
    ["show", "--key", "avatar/room@example.org"],
  ]

  /// A ledger that is whole, and what the verbs say of it.
  private struct Original {
    let path: String
    let data: Data
    let answers: [[String]: String]

    init(_ path: String) throws {
      self.path = path
      data = try Data(contentsOf: URL(fileURLWithPath: path + DamagedCopiesTests.file))
      answers = try Dictionary(
        uniqueKeysWithValues: DamagedCopiesTests.verbs.map { verb in
          let run = try CommandRun(DamagedCopiesTests.command(verb, path))
          #expect(run.status == 0)
          return (verb, DamagedCopiesTests.answer(run, of: verb))
        })
    }
  }

  /// What came of the copies.
  private struct Tally {
    var problems: [String] = []
    var wholeCount = 0
    var crashCount = 0
    var hangCount = 0

    mutating func count(_ run: CommandRun) {
      if run.status == 0 { wholeCount += 1 }
      if run.notes.contains("crashed (signal ") { crashCount += 1 }
      if run.notes.contains("came to no end") { hangCount += 1 }
    }

    mutating func add(_ other: Tally) {
      problems += other.problems
      wholeCount += other.wholeCount
      crashCount += other.crashCount
      hangCount += other.hangCount
    }
  }

  @Test func toolSurvives500DamagedCopies() async throws {
    let samples = (try await SampleLedger(), try await CompactedSampleLedger())
    let originals = [try Original(samples.0.path), try Original(samples.1.path)]
    let tally = await withTaskGroup(of: Tally.self) { group in
      for worker in 0..<2 {
        group.addTask {
          await onThread {
            var tally = Tally()
            for seed in stride(from: worker, to: Self.copyCount, by: 2) {
              // A worker's seeds are all odd or all even.
              let original = originals[seed / 2 % 2]
              tally.add(Self.run(seed, original, Self.verbs[seed / 4 % Self.verbs.count]))
            }
            return tally
          }
        }
      }
      return await group.reduce(into: Tally()) { $0.add($1) }
    }
    print(
      "\(Self.copyCount) damaged copies, 2 runs each: \(tally.wholeCount) ended with 0; the reading child crashed \(tally.crashCount) times and came to no end \(tally.hangCount) times"
    )
    #expect(tally.problems == [])
    #expect(tally.wholeCount < 2 * Self.copyCount)
  }

  private static let file = "/generation-000001/data.mdb"

  private static func command(_ verb: [String], _ path: String) -> [String] {
    [verb[0], path] + verb.dropFirst() + ["--timeout", "5"]
  }

  /// What a verb says about the ledger, without the sizes of its files and tables.
  private static func answer(_ run: CommandRun, of verb: [String]) -> String {
    guard verb == ["stats"] else { return run.output }
    return run.output.split(separator: "\n").prefix { !$0.hasPrefix("file bytes") }
      .joined(separator: "\n")
  }

  /// Runs a verb, and verify, on the copy that belongs to a seed.
  private static func run(_ seed: Int, _ original: Original, _ verb: [String]) -> Tally {
    var tally = Tally()
    do {
      let copy = try TemporaryLedger()
      try FileManager.default.copyItem(atPath: original.path, toPath: copy.path)
      let what = try damage(copy.path + file, original.data, seed: UInt64(seed))
      let run = try CommandRun(command(verb, copy.path))
      let verification = try CommandRun(command(["verify"], copy.path))
      for (name, run) in [(verb[0], run), ("verify", verification)] {
        tally.count(run)
        let isFinding =
          [1, 3, 5, 6].contains(run.status) && run.notes.contains("promise-ledger: ")
        if run.status != 0, !isFinding {
          tally.problems.append("\(name) with \(what): \(run.status) \(run.notes)")
        }
      }
      let isHealthy = run.status == 0 && answer(run, of: verb) == original.answers[verb]
      // What was damaged is not used any more, or was not read by this verb.
      if run.status == 0, !isHealthy {
        tally.problems.append("\(verb[0]) with \(what): another answer with exit code 0")
      }
      if verification.status == 0, !isHealthy {
        tally.problems.append("verify with \(what): nothing found, but \(verb[0]) is not the same")
      }
    } catch {
      tally.problems.append("\(verb[0]) with seed \(seed): \(error)")
    }
    return tally
  }

  /// Turns bits over, overwrites a stretch, or cuts the file.
  private static func damage(_ path: String, _ original: Data, seed: UInt64) throws -> String {
    var generator = SeededGenerator(seed: seed)
    var bytes = original
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    let what: String
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      bytes = bytes.prefix(place)
      what = "cut to \(place)"
    case 1:
      for index in place..<min(place + 8, bytes.count) {
        bytes[index] = UInt8.random(in: 0 ... .max, using: &generator)
      }
      what = "8 random bytes at \(place)"
    default:
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      what = "a bit turned at \(place)"
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    return "seed \(seed), \(what)"
  }
}
