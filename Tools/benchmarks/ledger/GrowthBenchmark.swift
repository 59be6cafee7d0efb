import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// `EventStore.commit` into files that are extended ahead, against files that grow with each commit.
///
/// Both take turns, some commits each.
enum GrowthBenchmark {
  private static let commitsPerTurn = 50

  static func run(_ report: inout Report) throws {
    for (count, turns) in [(1, 20), (10, 20), (64, 20), (512, 10)] {
      let batch = try CommitBenchmark.preparedBatch(count)
      var ahead = try Side(largestGrowth: StoreOptions.defaultLargestGrowth)
      var plain = try Side(largestGrowth: 0)
      for turn in 0..<turns {
        if turn.isMultiple(of: 2) {
          try ahead.commit(batch, times: commitsPerTurn)
          try plain.commit(batch, times: commitsPerTurn)
        } else {
          try plain.commit(batch, times: commitsPerTurn)
          try ahead.commit(batch, times: commitsPerTurn)
        }
      }
      for (name, figure) in [
        ("mean", { $0.reduce(0, +) / Double($0.count) }), ("median", { $0.median }),
        ("99 %", { $0.quantile(0.99) }),
      ] as [(String, ([Double]) -> Double)] {
        report.add(
          "commit of \(count) events, file extended ahead, times not, \(name)",
          figure(ahead.times) / figure(plain.times), nil,
          "\(rounded(figure(ahead.times))) us against \(rounded(figure(plain.times)))")
      }
      ahead.store.close()
      plain.store.close()
    }
  }

  private struct Side {
    let directory: TemporaryDirectory
    let store: LMDBEventStore
    private(set) var times: [Double] = []
    private var position = Position.start
    private var number: UInt64 = 0

    init(largestGrowth: Int) throws {
      directory = try TemporaryDirectory.onDisk()
      store = try LMDBEventStore.openOrCreate(
        LedgerDirectory(directory.path + "/ledger"),
        options: StoreOptions(sizeLimit: 1 << 40, largestGrowth: largestGrowth),
        newLedgerID: LedgerID(entityID: EntityID(high: 1, low: 1)), now: SystemLedgerClock().now())
    }

    mutating func commit(_ batch: EventBatch, times count: Int) throws {
      for _ in 0..<count {
        number += 1
        let commit = CommitID(
          session: SessionID(entityID: EntityID(high: 2, low: 2)), number: number)
        let before = position
        let duration = try time {
          position = try store.commit(
            commit, after: before, patience: Patience(.seconds(5)),
            catchUp: { (_) throws(LedgerError) in },
            decide: { (_, _) throws(LedgerError) in batch })
        }
        times.append(duration.inMicroseconds)
      }
    }
  }
}
