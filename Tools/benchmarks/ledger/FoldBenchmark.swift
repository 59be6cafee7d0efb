import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Folding a log of a million events, and opening what was folded.
enum FoldBenchmark {
  static func run(_ report: inout Report) throws {
    let directory = try TemporaryDirectory()
    let other = try TemporaryDirectory()
    let store = try LMDBEventStore.openOrCreate(
      LedgerDirectory(directory.path + "/ledger"), options: StoreOptions(sizeLimit: 1 << 40),
      newLedgerID: LedgerID(entityID: EntityID(high: 1, low: 1)), now: SystemLedgerClock().now())
    try ReplayBenchmark.fill(store, try Baseline(path: other.path))
    let head = try store.head()
    var folder = Folder()
    var pace = SlicePace()
    var locks: [Double] = []
    let duration = try time {
      while let step = try folder.step(of: store, through: head, limit: pace.eventCount) {
        pace.adapt(to: step.lock, isRandom: step.isRandom)
        locks.append(step.lock.inMicroseconds / 1_000)
      }
    }
    report.add(
      "fold, thousand events a second", Double(head.rawValue) / duration.inMicroseconds * 1_000,
      .atLeast(300))
    report.add(
      "fold, lock held at the median, ms", locks.median, .atMost(2),
      "longest \(rounded(locks.max() ?? 0)) of \(locks.count)")
    let opening = try time {
      for _ in 0..<100 {
        let replica = Replica()
        _ = try replica.catchUp(from: store, rebases: true, sliceEventCount: 10_000)
      }
    }
    report.add("replay of a folded ledger, us", opening.inMicroseconds / 100, nil)
    store.close()
  }
}
