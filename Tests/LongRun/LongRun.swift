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

  @Option(
    help:
      "The part of its steps, in percent, after which a walk ends if they brought nothing new. Until then it makes up to twice as many steps. 0 ends it in any case."
  )
  var plateau = 10

  @Option(help: "Replays the commands in a file, as a failure prints them.")
  var replay: String?

  @Option(
    help:
      "The only ledger to walk on, or that to replay commands on, without it \(WalkKind.memory.rawValue): \(WalkKind.allCases.map(\.rawValue).joined(separator: ", "))."
  )
  var on: WalkKind?

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case walks
    case simulation
    case powerLoss = "power-loss"
    case kills
    case histories
  }

  func validate() throws {
    guard factor >= 1 else { throw ValidationError("The factor must be 1 or more.") }
    guard (0...100).contains(plateau) else {
      throw ValidationError("The plateau must be from 0 to 100 percent.")
    }
  }

  func run() async throws {
    if let replay {
      let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: replay)), as: UTF8.self)
      print(try (on ?? .memory).replay(WalkFailure.steps(in: text)) ?? "no violation")
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
    for kind in on.map({ [$0] }) ?? WalkKind.allCases {
      let stepCount = kind.usualStepCount * factor
      let report = try kind.walk(
        seed: seed, stepCount: stepCount, plateau: stepCount / 100 * plateau, atMost: 2 * stepCount)
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
    guard Strace.isUsable else { return Self.reportMissingStrace() }
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

  /// - Returns: Whether the system has no strace that could be installed.
  private static func reportMissingStrace() -> Bool {
    #if os(Linux)
      print(
        "power loss: not measured, because \(Strace.path) is missing or may not trace. Install it, as with `apt install strace`, and in a container allow `ptrace`, or leave this part out with --only."
      )
      return false
    #else
      print("power loss: not measured, because this system has no strace")
      return true
    #endif
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
