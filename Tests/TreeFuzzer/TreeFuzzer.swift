import ArgumentParser
import Foundation
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTesting

/// Damages the trees of sample ledgers, and compares the results of the tool and a writer with
/// those for the intact ledgers.
@main
struct TreeFuzzer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tree-fuzzer",
    abstract:
      "Damages data files of ledgers, a seed each, and tries the verbs of the tool on them.",
    discussion: """
      It runs the promise-ledger and the ledger-worker beside it. The exit code is 1 if it finds \
      something: a loop, a crash of the command, a trap of Swift, another answer as if all were \
      well, another exit code than that for damage, output that does not say that it is incomplete, \
      control characters, damage that verify misses, an acknowledged event that is gone or written \
      over, or writing that harms what could be read before. It is 1, too, if LMDB ends more than \
      one of a thousand readers or writers.
      """)

  @Option(help: "How many seeds.")
  var seeds: UInt64 = 1_000

  @Option(help: "The first seed.")
  var first: UInt64 = 0

  @Option(help: "How many things each seed tries, one after the other in rotation; all without it.")
  var attempts: Int?

  @Option(help: "Try only this, such as a verb, with each seed; may be repeated.")
  var only: [String] = []

  @Option(help: "How many seeds are tried at once.")
  var workers = 2

  @Option(help: "How long a process may give no sign of life, in seconds.")
  var timeout = 10

  @Option(help: "Where damaged ledgers with findings are kept.")
  var keep: String?

  @Option(help: "Where the work is done.")
  var scratch = Scratch.path

  @Flag(help: "Print what came of every attempt.")
  var all = false

  func validate() throws {
    guard seeds > 0, workers > 0, timeout > 0 else {
      throw ValidationError("Seeds, workers and the timeout must be more than 0.")
    }
    guard attempts.map((1...Attempt.all.count).contains) ?? true else {
      throw ValidationError("The attempts must be 1 to \(Attempt.all.count).")
    }
    for name in only where Attempt(name: name) == nil {
      throw ValidationError(
        "There is no attempt \(name), but: \(Attempt.all.map(\.name).joined(separator: ", ")).")
    }
    guard !first.addingReportingOverflow(seeds).overflow else {
      throw ValidationError("There are no seeds after \(UInt64.max).")
    }
  }

  func run() async throws {
    let temporary = try TemporaryDirectory(in: scratch)
    defer { withExtendedLifetime(temporary) {} }
    let directory = temporary.path
    var samples: [Sample] = []
    for content in Sample.Content.allCases {
      let sample = try await Sample(content, in: directory)
      samples.append(sample)
      Self.print("\(sample.name): \(sample.head) events; pages: \(sample.map.description)")
    }
    let made = samples
    let answers = try Answers(of: made, Bench(in: directory + "/answers", timeout: timeout))
    let tally = try await withThrowingTaskGroup { group in
      for worker in 0..<UInt64(workers) {
        let bench = try Bench(in: directory + "/\(worker)", timeout: timeout)
        group.addTask {
          try await onThread { try fuzz(made, answers, bench, from: worker) }
        }
      }
      return try await group.reduce(into: Tally()) { $0.add($1) }
    }
    Self.print("\n\(tally.description)")
    if !tally.findings.isEmpty || tally.hasTooManyDeaths { throw ExitCode(1) }
  }

  /// Tries every seed of one worker.
  private func fuzz(
    _ samples: [Sample], _ answers: Answers, _ bench: Bench, from worker: UInt64
  ) throws -> Tally {
    var tally = Tally()
    for seed in stride(from: first + worker, to: first + seeds, by: workers) {
      let damage = Damage(seed: seed, of: samples)
      let trial = Trial(damage: damage, bench: bench, answers: answers)
      let outcomes = try trial.run(attempts(seed))
      let known = tally.findings.count
      if tally.seedCount % 500 == 499 {
        Self.print("worker \(worker): \(tally.seedCount + 1) seeds")
      }
      tally.count(damage, outcomes)
      if all { say(damage, outcomes) }
      for finding in tally.findings.dropFirst(known) {
        Self.print("\(finding)\n    repeat: tree-fuzzer --first \(seed) --seeds 1 --all")
      }
      if let keep, tally.findings.count > known { try Bench.keep(damage, in: keep) }
    }
    return tally
  }

  /// The attempts of a seed.
  private func attempts(_ seed: UInt64) -> [Attempt] {
    guard only.isEmpty else { return only.compactMap(Attempt.init(name:)) }
    let rotation = Attempt.rotation
    guard let attempts else { return Attempt.all }
    let index = Int(seed % UInt64(rotation.count))
    return (0..<attempts).map { rotation[(index * attempts + $0) % rotation.count] }
  }

  /// Without a buffer, so that a run that is ended leaves all that it found.
  private static func print(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  private func say(_ damage: Damage, _ outcomes: [Trial.Outcome]) {
    Self.print(damage.description)
    for outcome in outcomes {
      Self.print("  \(outcome.attempt.name): \(outcome.verdict.rawValue) \(outcome.note)")
    }
  }
}

/// Runs blocking work outside Swift's few threads.
private func onThread<R: Sendable>(
  _ body: @escaping @Sendable () throws -> R
) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
  }
}
