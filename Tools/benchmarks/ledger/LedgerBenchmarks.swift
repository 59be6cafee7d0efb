import ArgumentParser
import LedgerMeasuring
import LedgerSystem

/// Measures the ledger against plain C on liblmdb, as ratios inside one run.
@main
struct LedgerBenchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger-benchmarks",
    abstract: "Measures the ledger, where it can against plain C on liblmdb.",
    discussion: """
      Each line is a figure, with the bar that it has to meet if it has one. Run it on a quiet machine, \
      as a release build. The exit code is 1 if a bar is missed.
      """,
    subcommands: [Run.self, Load.self, ChildProcess.self], defaultSubcommand: Run.self)

  /// The first thread waits. In an asynchronous main function it would end, which valgrind 3.19 does not survive.
  static func main() {
    let end = WakeSemaphore()
    Task.detached {
      await main(nil)
      end.signal()
    }
    while !end.wait(timeout: .seconds(3_600)) {}
  }

  enum Benchmark: String, CaseIterable, ExpressibleByArgument {
    case commit, growth, replay, fold, writers, open, space, tombstones, memory, group, process
    case work, tool
  }

  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs benchmarks, by default all.")

    @Argument(help: "The benchmarks to run.")
    var benchmarks = Benchmark.allCases

    @Option(help: "The number of promises in the ledger that is opened.")
    var size = 1_000_000

    @Option(help: "How many promises come and go before the file is measured.")
    var cycles = 200_000

    @Flag(help: "Measures groups of commits and processes without automatic compaction.")
    var withoutCompaction = false

    func run() async throws {
      var report = Report()
      if runs(.commit) { try CommitBenchmark.run(&report) }
      if runs(.growth) { try GrowthBenchmark.run(&report) }
      if runs(.replay) { try ReplayBenchmark.run(&report) }
      if runs(.fold) { try FoldBenchmark.run(&report) }
      if runs(.fold) || runs(.writers) { try await FoldingWritersBenchmark.run(&report) }
      if runs(.open) { try OpenBenchmark.run(&report, size: size) }
      if runs(.space) { try await SpaceBenchmark.runIDs(&report, cycles: cycles) }
      if runs(.space) || runs(.tombstones) {
        try await SpaceBenchmark.runKeys(&report, cycles: cycles)
      }
      if runs(.memory) { try MemoryBenchmark.run(&report) }
      if runs(.group) { try await GroupCommitBenchmark.run(&report) }
      if runs(.process) { try await ProcessBenchmark.run(&report) }
      if runs(.work) { try await WorkBenchmark.run(&report) }
      if runs(.tool) { try ToolBenchmark.run(&report) }
      guard report.missed.isEmpty else {
        print("missed: \(report.missed.joined(separator: ", "))")
        throw ExitCode.failure
      }
    }

    private func runs(_ benchmark: Benchmark) -> Bool { benchmarks.contains(benchmark) }
  }

  /// This program as another process on the ledger of a benchmark.
  struct ChildProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "child", shouldDisplay: false)

    @Flag var withoutCompaction = false
    @Argument var arguments: [String] = []

    func run() async throws { try await ProcessBenchmark.runChild(arguments) }
  }
}
