import LedgerBytes
import LedgerMeasuring
import PromiseLedger
import PromiseLedgerTesting

/// `EventStore.commit` of prepared events against C committing the same frames.
enum CommitBenchmark {
  static func run(_ report: inout Report) throws {
    for (count, rounds, bar) in [
      (1, 300, 0.85), (10, 300, 0.85), (100, 200, 0.85), (1_000, 150, 0.6),
    ] {
      let ours = try TemporaryDirectory.onDisk()
      let theirs = try TemporaryDirectory.onDisk()
      let store = try LMDBEventStore.openOrCreate(
        LedgerDirectory(ours.path + "/ledger"), options: StoreOptions(sizeLimit: 1 << 40),
        newLedgerID: LedgerID(entityID: EntityID(high: 1, low: 1)), now: SystemLedgerClock().now())
      let baseline = try Baseline(path: theirs.path)
      let batch = try preparedBatch(count)
      var position = Position.start
      var ratios: [Double] = []
      var mine: [Double] = []
      for round in 0..<rounds {
        let commit = CommitID(
          session: SessionID(entityID: EntityID(high: 2, low: 2)), number: UInt64(round + 1))
        var frames = Frames()
        batch.packFrames(from: position.advanced(by: 1), number: 1, commit: commit) { key, frame in
          frames.keys.append(key)
          frames.lengths.append(UInt32(frame.count))
          frames.bytes.append(contentsOf: frame)
        }
        let before = position
        let inC = try time { try baseline.commit(frames) }
        let inSwift = try time {
          position = try store.commit(
            commit, after: before, patience: Patience(.seconds(5)),
            catchUp: { (_) throws(LedgerError) in },
            decide: { (_, _) throws(LedgerError) in batch })
        }
        ratios.append(inC.inMicroseconds / inSwift.inMicroseconds)
        mine.append(inSwift.inMicroseconds)
      }
      store.close()
      report.add(
        "commit of \(count) events, against C", ratios.median, .atLeast(bar),
        "median \(rounded(mine.median)) us")
    }
  }

  /// Events of about 200 bytes.
  static func preparedBatch(_ count: Int) throws -> EventBatch {
    var batch = EventBatch()
    for index in 0..<count {
      let payload = PromiseCreated(
        typeTag: "string", label: String(repeating: "x", count: 130), tags: [])
      try batch.append(
        NewEvent(
          kind: .promiseCreated, version: 1, time: Timestamp(nanosecondsSinceEpoch: Int64(index)),
          subject: EntityID(high: UInt64(index), low: .random(in: .min ... .max)), cause: .start,
          payload: payload.encoded, attachment: []))
    }
    return batch
  }
}

extension TemporaryDirectory {
  /// A directory on a disk; `/tmp` may be in memory.
  static func onDisk() throws -> TemporaryDirectory { try TemporaryDirectory(in: "/var/tmp") }
}
