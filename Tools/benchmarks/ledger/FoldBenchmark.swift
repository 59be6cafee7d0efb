import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Folding a log of 300,000 promises: with ids in the order of time, and with ids made from keys
/// against plain C on liblmdb that puts the same entries.
enum FoldBenchmark {
  static let promiseCount = 300_000

  static func run(_ report: inout Report) throws {
    try measureOrdered(&report)
    try measureKeyed(&report)
  }

  private static func measureOrdered(_ report: inout Report) throws {
    let directory = try TemporaryDirectory.onDisk()
    let other = try TemporaryDirectory.onDisk()
    let writer = try HistoryWriter(at: directory.path + "/ledger")
    try writer.write(0..<promiseCount, HistoryWriter.Kind())
    let store = writer.store
    let head = try store.head()
    let syncs = try smallCommits(Baseline(path: other.path))
    var fold = Fold()
    let duration = try time {
      while try fold.step(of: store, through: head) {}
    }
    report.add(
      "fold, thousand events a second", Double(head.rawValue) / duration.inMicroseconds * 1_000,
      .atLeast(300), "\(fold.locks.count) steps")
    add("fold", fold.locks, 2, syncs, &report)
    let opening = try time {
      for _ in 0..<100 {
        let replica = Replica()
        _ = try replica.catchUp(from: store)
      }
    }
    report.add("replay of a folded ledger, us", opening.inMicroseconds / 100, nil)
    store.close()
  }

  private static func measureKeyed(_ report: inout Report) throws {
    let directory = try TemporaryDirectory.onDisk()
    let other = try TemporaryDirectory.onDisk()
    let writer = try HistoryWriter(at: directory.path + "/ledger")
    try writer.write(0..<promiseCount, HistoryWriter.Kind(isKeyed: true))
    let store = writer.store
    let head = try store.head()
    let baseline = try Baseline(path: other.path)
    let syncs = try smallCommits(baseline)
    var fold = Fold()
    var ours = Duration.zero
    var theirs = Duration.zero
    while true {
      // The entries that the step will put, computed beforehand and not timed.
      let slice = try FoldSlice.next(
        of: store, from: try SnapshotReader(store), through: head, limit: fold.pace.eventCount)
      let entries = Entries(slice.edit.sortedChanges)
      var isOver = false
      ours += try time { isOver = try !fold.step(of: store, through: head) }
      if isOver { break }
      theirs += try time { try baseline.put(entries) }
    }
    report.add(
      "fold of keyed promises, thousand events a second",
      Double(head.rawValue) / ours.inMicroseconds * 1_000, nil, "\(fold.locks.count) steps")
    report.add("fold of keyed promises, against the puts in C", theirs / ours, .atLeast(0.7))
    add("fold of keyed promises", fold.locks, 20, syncs, &report)
    store.close()
  }

  private static func add(
    _ name: String, _ locks: [Double], _ bar: Double, _ syncs: [Double], _ report: inout Report
  ) {
    report.add(
      "\(name), lock held at the median, ms", locks.median, .atMost(bar),
      "a small commit in C \(rounded(syncs.median)), its 99 % \(rounded(syncs.quantile(0.99)))")
    report.add(
      "\(name), lock held at 99 %, ms", locks.quantile(0.99), nil,
      "longest \(rounded(locks.max() ?? 0))")
  }

  /// The minimum cost of the disk: milliseconds of commits of one small frame.
  private static func smallCommits(_ baseline: Baseline) throws -> [Double] {
    try (1...100 as ClosedRange<UInt64>).map { number in
      let frames = Frames(keys: [number], lengths: [100], bytes: [UInt8](repeating: 1, count: 100))
      return try time { try baseline.commit(frames) }.inMicroseconds / 1_000
    }
  }

  /// Folding at the pace of a compaction.
  private struct Fold {
    private var folder = Folder()
    private(set) var pace = SlicePace()
    /// In milliseconds.
    private(set) var locks: [Double] = []

    /// - Returns: Whether there was anything to fold.
    mutating func step(of store: LMDBEventStore, through head: Position) throws -> Bool {
      guard let step = try folder.step(of: store, through: head, limit: pace.eventCount) else {
        return false
      }
      pace.adapt(to: step.lock, isRandom: step.isRandom)
      locks.append(step.lock.inMicroseconds / 1_000)
      return true
    }
  }
}

extension Entries {
  /// The puts among changes, in their order.
  init(_ changes: [TableChange]) {
    for change in changes {
      guard let value = change.value else { continue }
      tables.append(change.table == .entities ? 0 : 1)
      keyLengths.append(UInt16(change.key.count))
      lengths.append(UInt32(value.count))
      bytes += change.key
      bytes += value
    }
  }
}
