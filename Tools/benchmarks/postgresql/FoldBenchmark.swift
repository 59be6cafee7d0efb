import LedgerMeasuring
import PromiseLedgerPostgreSQL

/// Creations by one caller while the same ledger is folded.
enum FoldBenchmark {
  static func run(_ report: inout Report, on server: BenchmarkServer) async throws {
    let place = try server.place()
    let ledger = try await server.open(place)
    let folding = try await server.open(place, as: .operator)
    var ratios: [Double] = []
    var slowest: [Double] = []
    for _ in 0..<3 {
      // What there is to fold.
      _ = try await Rate.measure(tasks: 512, for: .seconds(4)) {
        _ = try await ledger.createPromise(of: Void.self)
      }
      let before = try await CallerBenchmark.latencies(ledger, for: .seconds(3))
      let task = Task { try await folding.compact(.foldOnly) }
      let beside = try await CallerBenchmark.latencies(ledger, for: .seconds(1))
      task.cancel()
      // A fold that ended earlier would make the figure too good.
      if case .success = await task.result { throw ShortFold() }
      slowest.append(beside.quantile(0.99) / 1_000)
      ratios.append(beside.quantile(0.99) / before.quantile(0.99))
    }
    report.add(
      "99 % of appends beside a fold, times without", ratios.median, .atMost(2),
      "\(rounded(slowest.median)) ms")
    await folding.close()
    await ledger.close()
  }

  private struct ShortFold: Error {}
}
