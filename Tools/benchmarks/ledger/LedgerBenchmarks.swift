/// Measures the ledger against plain C on liblmdb, as ratios inside one run.
@main
struct LedgerBenchmarks {
  static func main() async throws {
    var report = Report()
    try CommitBenchmark.run(&report)
    try ReplayBenchmark.run(&report)
    try await GroupCommitBenchmark.run(&report)
    if !report.missed.isEmpty { print("missed: \(report.missed.joined(separator: ", "))") }
  }
}
