import ArgumentParser
import LedgerMeasuring
import LedgerPostgreSQLTestSupport
import PromiseLedgerPostgreSQL

/// Measures ledgers on PostgreSQL against pgbench on the same server, as ratios inside one run.
@main
struct PostgreSQLBenchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger-postgresql-benchmarks",
    abstract: "Measures ledgers on PostgreSQL against pgbench on the same server.",
    discussion: """
      It starts a server of its own. Each line is a figure, with the bar that it has to meet if it has one. Run it \
      on a quiet machine, as a release build. The exit code is 1 if a bar is missed.
      """)

  enum Benchmark: String, CaseIterable, ExpressibleByArgument {
    case latency, callers, work, waking, fold
    case catchUp = "catch-up"
    case wakeUp = "wake-up"
  }

  @Argument(help: "The benchmarks to run, by default all.")
  var benchmarks = Benchmark.allCases

  func run() async throws {
    let server = try BenchmarkServer()
    var report = Report()
    for benchmark in Benchmark.allCases where benchmarks.contains(benchmark) {
      switch benchmark {
      case .latency: try await CallerBenchmark.runOne(&report, on: server)
      case .callers: try await CallerBenchmark.runMany(&report, on: server)
      case .work: try await QueueBenchmark.run(&report, on: server)
      case .waking: try await WakingBenchmark.run(&report, on: server)
      case .fold: try await FoldBenchmark.run(&report, on: server)
      case .catchUp: try CatchUpBenchmark.run(&report, on: server)
      case .wakeUp: try await WakingBenchmark.runWakeUp(&report, on: server)
      }
    }
    guard report.missed.isEmpty else {
      print("missed: \(report.missed.joined(separator: ", "))")
      throw ExitCode.failure
    }
  }
}
