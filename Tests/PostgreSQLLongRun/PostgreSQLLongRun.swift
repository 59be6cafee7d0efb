import ArgumentParser
import LedgerHistories
import LedgerLinearizability
import LedgerPostgreSQLFaults
import LedgerPostgreSQLTestSupport
import LedgerTestSupport

/// The long run of ledgers on PostgreSQL: `Tools/test-long` builds and runs it where the server is installed.
@main
struct PostgreSQLLongRun: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger-postgresql-long-run",
    abstract:
      "Lets processes use ledgers on PostgreSQL while clients, networks and servers fail, and checks what they were told."
  )

  @Option(help: "Multiplies the number of events and faults; 1 takes some minutes.")
  var factor = 1

  @Option(help: "The seed of the first run.")
  var seed: UInt64 = 1

  @Option(
    help:
      "Runs only these parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")). Repeat it for several. Without it, all but patroni run, which needs Patroni and etcd."
  )
  var only: [Part] = Part.allCases.filter { $0 != .patroni }

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case leases
    case faults
    case failover
    case histories
    case failoverHistories = "failover-histories"
    case churn
    case patroni
  }

  func validate() throws {
    guard factor >= 1 else { throw ValidationError("The factor must be 1 or more.") }
  }

  func run() async throws {
    var isGood = true
    for part in Part.allCases where only.contains(part) {
      let problems =
        switch part {
        case .leases: try await testLeases()
        case .faults: try await appendBesideFaults()
        case .failover: try await failOver()
        case .histories:
          try await checkHistories("faults", count: 200 * factor) {
            try ServerHistories(on: TestServer(), crashInterval: 20)
          }
        case .failoverHistories:
          try await checkHistories("failover", count: 100 * factor) {
            try ClusterHistories(on: TestCluster(), failOverInterval: 10)
          }
        case .churn: try await churn()
        case .patroni: try await failOverByPatroni()
        }
      for problem in problems.prefix(20) { WholeLine.print(problem) }
      isGood = isGood && problems.isEmpty
    }
    if !isGood { throw ExitCode.failure }
  }

  private func testLeases() async throws -> [String] {
    var problems: [String] = []
    for trial in LeaseTrial.allCases {
      problems += try await trial.run(on: TestServer.shared.get())
    }
    WholeLine.print(
      "postgresql leases: \(LeaseTrial.allCases.count) trials, \(problems.count) problems")
    return problems
  }

  private func appendBesideFaults() async throws -> [String] {
    let load = AppendLoad(
      "faults", seed: seed, eventCount: 700_000 * factor, faultCount: 30 * factor,
      maximumBatch: 200, stops: .seconds(17))
    let report = try await load.run(on: ServerStage(writerCount: AppendLoad.writerCount))
    WholeLine.print(report.line)
    return report.problems
  }

  private func failOver() async throws -> [String] {
    let load = AppendLoad(
      "failover", seed: seed, eventCount: 300_000 * factor, faultCount: 20 * factor,
      maximumBatch: 200)
    let report = try await load.run(on: ClusterStage())
    WholeLine.print(report.line)
    return report.problems
  }

  private func failOverByPatroni() async throws -> [String] {
    let cluster = try PatroniCluster()
    let load = AppendLoad(
      "patroni", seed: seed, eventCount: 100_000 * factor, faultCount: 4 * factor,
      maximumBatch: 200)
    let report = try await load.run(
      on: PatroniStage(on: cluster, causes: PatroniCluster.Fault.allCases))
    WholeLine.print(report.line)
    let count = cluster.failoverCount
    let problems = try await checkHistories("patroni", count: 100 * factor) {
      try ClusterHistories(on: cluster, failOverInterval: 10)
    }
    WholeLine.print(
      "postgresql patroni, histories: \(cluster.failoverCount - count) failovers beside them")
    return report.problems + problems + (try await loseByPatroni())
  }

  /// Without synchronous replication, acknowledged events are lost, and that is noticed.
  private func loseByPatroni() async throws -> [String] {
    let load = AppendLoad(
      "patroni without synchronous_mode", seed: seed, eventCount: 20_000, faultCount: 1,
      maximumBatch: 200)
    let report = try await load.run(
      on: PatroniStage(on: PatroniCluster(isSynchronous: false), causes: [.cutOff]))
    let count = report.problems.count { $0.contains("is lost") }
    WholeLine.print("\(report.line): as expected, \(count) acknowledged commits are lost")
    return count > 0 ? [] : ["Without synchronous_mode, nothing is lost."]
  }

  private func churn() async throws -> [String] {
    let server = try TestServer(["autovacuum=on", "autovacuum_naptime=10s"])
    let report = try await Churn(for: .seconds(180 * factor)).run(on: server)
    WholeLine.print(report.line)
    return report.problems
  }

  private func checkHistories(
    _ name: String, count: Int,
    on makePlace: @escaping @Sendable () async throws -> any HistoryPlace
  ) async throws -> [String] {
    let report = try await HistoryRun(seed: seed, historyCount: count, onLedgersFrom: makePlace)
      .run()
    WholeLine.print("postgresql \(name), \(report.line)")
    return report.problems + report.result.findings
  }
}
