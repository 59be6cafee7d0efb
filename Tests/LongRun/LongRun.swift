import ArgumentParser
import Foundation
import LedgerWalk

/// The long run of the suites that compare the ledger with its rules: `Tools/test-long` builds and runs
/// it.
@main
struct LongRun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger-long-run",
    abstract: "Walks through all commands beside an oracle, and simulates processes.")

  @Option(help: "Multiplies the number of steps; 1 takes about a minute.")
  var factor = 1

  @Option(help: "The seed of the first run.")
  var seed: UInt64 = 1

  @Flag(help: "Leaves the walks out.")
  var onlySimulates = false

  @Option(help: "Replays the commands in a file, as a failure prints them.")
  var replay: String?

  @Option(
    help:
      "The ledger to replay them on: \(WalkKind.allCases.map(\.rawValue).joined(separator: ", ")).")
  var on = WalkKind.memory

  func validate() throws {
    guard factor >= 1 else { throw ValidationError("The factor must be 1 or more.") }
  }

  func run() throws {
    if let replay {
      let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: replay)), as: UTF8.self)
      print(try on.replay(WalkFailure.steps(in: text)) ?? "no violation")
      return
    }
    var isGood = true
    for kind in onlySimulates ? [] : WalkKind.allCases {
      let report = try kind.walk(seed: seed, stepCount: kind.usualStepCount * factor)
      print(report.line)
      isGood = isGood && report.problem == nil
    }
    let report = SimulationReport(seed: seed, commitCount: 10_000 * factor)
    print(report.line)
    if !isGood || report.problem != nil { throw ExitCode.failure }
  }
}

extension WalkKind: ExpressibleByArgument {}
