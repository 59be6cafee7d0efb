import Foundation
package import LedgerLinearizability
import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Lets real processes make random requests of one ledger, kills some of them, and checks the histories that
/// they printed.
package struct HistoryRun: Sendable {
  /// The number of histories on one ledger: opening it stays quick.
  private static let historiesPerLedger = 100

  private let seed: UInt64
  private let historyCount: Int
  /// One in so many histories loses a process.
  private let killInterval: Int
  private let makePlace: @Sendable () async throws -> any HistoryPlace

  /// Histories on ledgers in files.
  package init(
    seed: UInt64, historyCount: Int, workerFlags: [String] = [], killInterval: Int = 12
  ) {
    self.init(seed: seed, historyCount: historyCount, killInterval: killInterval) {
      try await HistoryFiles(flags: workerFlags)
    }
  }

  /// - Parameter makePlace: Makes a new ledger.
  package init(
    seed: UInt64, historyCount: Int, killInterval: Int = 12,
    onLedgersFrom makePlace: @escaping @Sendable () async throws -> any HistoryPlace
  ) {
    self.seed = seed
    self.historyCount = historyCount
    self.killInterval = killInterval
    self.makePlace = makePlace
  }

  /// What a run has seen.
  package struct Report: Sendable {
    package fileprivate(set) var result = RecordedHistories.Result()
    package fileprivate(set) var historyCount = 0
    package fileprivate(set) var killCount = 0
    /// Lines that no process should print, and ends that were not ours.
    package fileprivate(set) var problems: [String] = []
    fileprivate var duration = Duration.zero
    fileprivate let seed: UInt64

    package var isGood: Bool { problems.isEmpty && result.findings.isEmpty }

    /// All figures, on one line.
    package var line: String {
      let seconds = duration / .seconds(1)
      return
        "linearizability: \(historyCount) histories of \(result.objectCount) objects, \(result.callCount) calls, \(result.overlapCount) beside others, \(result.unknownCount) unknown outcomes, \(killCount) kills, \(Int(Double(historyCount) / max(seconds, 0.001))) histories/s, seed \(seed), \(result.findings.count) violations"
    }
  }

  package func run() async throws -> Report {
    var report = Report(seed: seed)
    let start = ContinuousClock.now
    var generator = SeededGenerator(seed: seed)
    while report.historyCount < historyCount, report.problems.isEmpty {
      let count = min(Self.historiesPerLedger, historyCount - report.historyCount)
      try await runOnOneLedger(count, &generator, &report)
    }
    report.duration = .now - start
    return report
  }

  private func runOnOneLedger(
    _ count: Int, _ generator: inout SeededGenerator, _ report: inout Report
  ) async throws {
    let place = try await makePlace()
    let seed = Int(generator.next() >> 1)
    var crew = try HistoryCrew { name, role in
      try place.start(name, as: role, seed: seed)
    }
    try await crew.open()
    for number in 0..<count where crew.problems.isEmpty && !Task.isCancelled {
      place.prepare(number)
      let isFatal = Int.random(in: 0..<killInterval, using: &generator) == 0
      let victim = isFatal ? Int.random(in: 0..<HistoryCrew.size, using: &generator) : nil
      let lineCount = Int.random(in: 0..<24, using: &generator)
      try await crew.run(number, killing: victim, after: lineCount)
      report.historyCount += 1
    }
    await crew.close()
    report.killCount += crew.killCount
    report.problems += crew.problems
    report.result.add(crew.histories.check())
  }
}
