import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// Kills processes that write to ledgers, read them and run work in them, until a number of kills is reached.
package struct KillRun: Sendable {
  private static let workCount = 400

  private let seed: UInt64
  private let killCount: Int

  package init(seed: UInt64, killCount: Int) { (self.seed, self.killCount) = (seed, killCount) }

  /// What a run has seen.
  package struct Report: Sendable {
    package fileprivate(set) var killCount = 0
    fileprivate var workKillCount = 0
    fileprivate var ledgerCount = 0
    fileprivate var eventCount = 0
    fileprivate var acknowledgedCount = 0
    fileprivate var attemptCount = 0
    fileprivate var duration = Duration.zero
    fileprivate let seed: UInt64
    package fileprivate(set) var findings: [String] = []

    /// All figures, on one line.
    package var line: String {
      let rate = Double(killCount) / max(duration / .seconds(1), 0.001)
      return
        "kills: \(killCount) in \(ledgerCount) ledgers, \(workKillCount) of them of processes that ran work, \(eventCount) events, \(acknowledgedCount) acknowledged, \(attemptCount) attempts, \(Int(rate)) kills/s, seed \(seed), \(findings.count) losses or violations"
    }
  }

  /// Takes turns: one round kills writers and readers, the next runners of work.
  package func run() async throws -> Report {
    var report = Report(seed: seed)
    let start = ContinuousClock.now
    var seed = seed
    while report.killCount < killCount, report.findings.isEmpty {
      try await killWriters(seed, &report)
      try await killRunners(seed, &report)
      seed &+= 16
    }
    report.duration = .now - start
    return report
  }

  private func killWriters(_ seed: UInt64, _ report: inout Report) async throws {
    let temporary = try TemporaryLedger()
    await (try temporary.open()).close()
    let inspector = try BlockingInspector(at: temporary.path)
    defer { inspector.close() }
    let kills = try await KillLoop(path: temporary.path, seed: seed, killsPerProcess: 40).run()
    let audit = try LedgerAudit(inspector)
    report.killCount += kills.kills
    report.eventCount += audit.eventCount
    report.acknowledgedCount += kills.acknowledged.count
    report.ledgerCount += 1
    let findings =
      kills.problems
      + audit.findings(acknowledged: kills.acknowledged, sightings: kills.sightings)
    report.findings += findings.map { "seed \(seed): \($0)" }
  }

  private func killRunners(_ seed: UInt64, _ report: inout Report) async throws {
    let temporary = try TemporaryLedger()
    let work = try await WorkKillLoop(
      path: temporary.path, seed: seed, workCount: Self.workCount
    ).run()
    report.killCount += work.kills
    report.workKillCount += work.kills
    report.attemptCount += work.audit.attemptCount
    report.ledgerCount += 1
    report.findings += work.findings.map { "seed \(seed): \($0)" }
  }
}
