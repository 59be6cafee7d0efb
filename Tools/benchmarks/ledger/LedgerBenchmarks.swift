/// Measures the ledger against plain C on liblmdb, as ratios inside one run.
///
/// Arguments name the benchmarks to run; without any all run. `--size N` is the number of promises of
/// the ledger that is opened, `--cycles N` how many promises come and go until the file is measured.
/// Group commit and processes are measured as users have them, with automatic compaction, unless it is
/// `--without-compaction`.
@main
struct LedgerBenchmarks {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "child" {
      return try await ProcessBenchmark.runChild(Array(arguments.dropFirst()))
    }
    let size = number(after: "--size", in: arguments) ?? 1_000_000
    let cycles = number(after: "--cycles", in: arguments) ?? 200_000
    let chosen = Set(arguments.filter { !$0.hasPrefix("--") && Int($0) == nil })
    func runs(_ name: String) -> Bool { chosen.isEmpty || chosen.contains(name) }
    var report = Report()
    if runs("commit") { try CommitBenchmark.run(&report) }
    if runs("replay") { try ReplayBenchmark.run(&report) }
    if runs("fold") { try FoldBenchmark.run(&report) }
    if runs("fold") || runs("writers") { try await FoldingWritersBenchmark.run(&report) }
    if runs("open") { try OpenBenchmark.run(&report, size: size) }
    if runs("space") { try await SpaceBenchmark.runIDs(&report, cycles: cycles) }
    if runs("space") || runs("tombstones") {
      try await SpaceBenchmark.runKeys(&report, cycles: cycles)
    }
    if runs("memory") { try MemoryBenchmark.run(&report) }
    if runs("group") { try await GroupCommitBenchmark.run(&report) }
    if runs("process") { try await ProcessBenchmark.run(&report) }
    if !report.missed.isEmpty { print("missed: \(report.missed.joined(separator: ", "))") }
  }

  private static func number(after option: String, in arguments: ArraySlice<String>) -> Int? {
    guard let place = arguments.firstIndex(of: option), place + 1 < arguments.endIndex else {
      return nil
    }
    return Int(arguments[place + 1])
  }
}
