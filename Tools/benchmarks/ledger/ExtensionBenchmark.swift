import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// An app extension that runs one work, while much work of other kinds is queued that it does not know.
///
/// All of that work is in the snapshot but for the last thousand. The extension is a process of its own: the
/// time is that from opening the ledger until the work is done and nothing else is due; the memory is what it
/// then has.
enum ExtensionBenchmark {
  private static let otherKinds = (1...5).map { "other-\($0)" }

  static func run(_ report: inout Report, count: Int = 100_000) throws {
    let directory = try TemporaryDirectory.onDisk()
    let path = directory.path + "/ledger"
    var times: [Double] = []
    var memory: [Double] = []
    let writer = try HistoryWriter(at: path)
    try writer.writeWork(count - 1_000, of: otherKinds)
    try writer.compact()
    try writer.writeWork(1_000, of: otherKinds)
    for _ in 0..<5 {
      try writer.writeWork(1, of: [BenchmarkedWork.Noted.kind])
      let fields = try Child("extension", path).waitForLine().split(separator: " ")
      times.append(Double(fields[0]) ?? .nan)
      memory.append(Double(fields[1]) ?? .nan)
    }
    writer.store.close()
    report.add(
      "extension with one of \(count) queued works, s", times.median / 1e6, .atMost(0.3))
    report.add(
      "extension with one of \(count) queued works, MiB", memory.median / 1_048_576, .atMost(24))
  }

  static func runChild(_ path: String) async throws {
    let start = MonotonicClock.now
    let moments = BenchmarkedWork.Moments()
    let ledger = try await BenchmarkedWork.open(path, as: .appExtension, moments)
    let isDone = try await LedgerRunner(ledger).drain(until: .now + .seconds(20))
    let time = (MonotonicClock.now - start).inMicroseconds
    guard isDone, moments.all.count == 1 else { throw BaselineError(status: -6) }
    Child.say("\(time) \(try MemoryBenchmark.anonymousBytes())")
    await ledger.close()
  }
}
