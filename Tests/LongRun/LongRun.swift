import ArgumentParser
import Foundation
import LedgerHistories
import LedgerLinearizability
import LedgerPowerLoss
import LedgerWalk
import LedgerWorkerSupport

/// The long run of the suites that compare the ledger with its rules: `Tools/test-long` builds and runs it.
@main
struct LongRun: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger-long-run",
    abstract:
      "Walks through all commands beside an oracle, simulates processes, cuts the power, kills processes, and checks what they were told."
  )

  @Option(help: "Multiplies the number of steps; 1 takes about a minute.")
  var factor = 1

  @Option(help: "The seed of the first run.")
  var seed: UInt64 = 1

  @Option(
    help:
      "Runs only these parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")). Repeat it for several."
  )
  var only: [Part] = Part.allCases

  @Option(help: "Replays the commands in a file, as a failure prints them.")
  var replay: String?

  @Option(
    help:
      "The ledger to replay them on: \(WalkKind.allCases.map(\.rawValue).joined(separator: ", ")).")
  var on = WalkKind.memory

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case walks
    case simulation
    case powerLoss = "power-loss"
    case kills
    case histories
  }

  func validate() throws {
    guard factor >= 1 else { throw ValidationError("The factor must be 1 or more.") }
  }

  func run() async throws {
    if let replay {
      let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: replay)), as: UTF8.self)
      print(try on.replay(WalkFailure.steps(in: text)) ?? "no violation")
      return
    }
    var isGood = true
    if only.contains(.walks) { isGood = try walk() && isGood }
    if only.contains(.simulation) { isGood = simulate() && isGood }
    if only.contains(.powerLoss) { isGood = try await cutPower() && isGood }
    if only.contains(.kills) { isGood = try await kill() && isGood }
    if only.contains(.histories) { isGood = try await checkHistories() && isGood }
    if !isGood { throw ExitCode.failure }
  }

  private func walk() throws -> Bool {
    var isGood = true
    for kind in WalkKind.allCases {
      let report = try kind.walk(seed: seed, stepCount: kind.usualStepCount * factor)
      print(report.line)
      isGood = isGood && report.problem == nil
    }
    return isGood
  }

  private func simulate() -> Bool {
    let report = SimulationReport(seed: seed, commitCount: 10_000 * factor)
    print(report.line)
    return report.problem == nil
  }

  private func cutPower() async throws -> Bool {
    guard Strace.isUsable else {
      print("power loss: not measured, because there is no strace that may trace")
      return true
    }
    let laneCount = ProcessInfo.processInfo.activeProcessorCount
    let series = PowerLossSeries(seed: seed, laneCount: laneCount)
    let report = try await series.run(stateCount: 2_000 * factor) { print($0) }
    print("\(report.line), seed \(seed)")
    // A run that could not find anything would show nothing.
    let recording = try await PowerRecording.make(seed: seed)
    let needless = try await series.needlessSyncs(in: recording) { _ in }
    print(
      "power loss without syncs: \(recording.syncClasses.count) kinds left out in turn, \(needless.count) not missed \(needless)"
    )
    return report.failures.isEmpty && needless.isEmpty
  }

  private func kill() async throws -> Bool {
    let report = try await KillRun(seed: seed, killCount: 100 * factor).run()
    print(report.line)
    for finding in report.findings.prefix(20) { print(finding) }
    return report.findings.isEmpty
  }

  private func checkHistories() async throws -> Bool {
    let run = HistoryRun(seed: seed, historyCount: 100 * factor, workerFlags: ["loses-answers"])
    let report = try await run.run()
    print(report.line)
    for problem in report.problems + report.result.findings.prefix(3) { print(problem) }
    return report.isGood
  }
}

extension WalkKind: ExpressibleByArgument {}
