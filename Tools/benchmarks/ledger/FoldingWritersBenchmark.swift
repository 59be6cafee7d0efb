import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Durable creations by 64 tasks while the same ledger is folded, compared with the same without
/// folding.
enum FoldingWritersBenchmark {
  static func run(_ report: inout Report) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let path = directory.path + "/ledger"
    let writer = try HistoryWriter(at: path)
    let ledger = try await Ledger.open(at: path, as: .app, configuration: .withoutCompaction)
    _ = try await GroupCommitBenchmark.creations(ledger, tasks: 64, for: .milliseconds(300))
    var ratios: [Double] = []
    var folded: [Double] = []
    for round in 0..<3 {
      try writer.write(
        (1_000_000 * round)..<(1_000_000 * round + 300_000), HistoryWriter.Kind())
      let before = try await GroupCommitBenchmark.creations(ledger, tasks: 64, for: .seconds(1))
      let base = try writer.store.snapshotSummary().position
      let rate = try await creationsWhileFolding(ledger)
      let end = try writer.store.snapshotSummary().position
      folded.append(Double(end.rawValue - base.rawValue) / 1_000)
      let after = try await GroupCommitBenchmark.creations(ledger, tasks: 64, for: .seconds(1))
      ratios.append(2 * rate / (before + after))
    }
    report.add(
      "writing while folding, times writing alone", ratios.median, .atLeast(0.5),
      "\(rounded(folded.median)) thousand events a second folded meanwhile")
    await ledger.close()
    writer.store.close()
  }

  private static func creationsWhileFolding(_ ledger: Ledger) async throws -> Double {
    let folding = Task { try await ledger.compact(.foldOnly) }
    let rate = try await GroupCommitBenchmark.creations(ledger, tasks: 64, for: .seconds(1))
    folding.cancel()
    // A fold that ended before it was cancelled would have made the figure too good.
    guard case .failure(let error) = await folding.result, error is CancellationError else {
      throw BaselineError(status: -4)
    }
    return rate
  }
}
