/// Measures the ledger against plain C on liblmdb, as ratios inside one run.
///
/// Arguments name the benchmarks to run; without any all run.
@main
struct LedgerBenchmarks {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "child" {
      return try await ProcessBenchmark.runChild(Array(arguments.dropFirst()))
    }
    let chosen = Set(arguments)
    func runs(_ name: String) -> Bool { chosen.isEmpty || chosen.contains(name) }
    var report = Report()
    if runs("commit") { try CommitBenchmark.run(&report) }
    if runs("replay") { try ReplayBenchmark.run(&report) }
    if runs("fold") { try FoldBenchmark.run(&report) }
    if runs("memory") { try MemoryBenchmark.run(&report) }
    if runs("group") { try await GroupCommitBenchmark.run(&report) }
    if runs("process") { try await ProcessBenchmark.run(&report) }
    if !report.missed.isEmpty { print("missed: \(report.missed.joined(separator: ", "))") }
  }
}
