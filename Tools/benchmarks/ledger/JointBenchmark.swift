import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Joints of many promises.
enum JointBenchmark {
  static func run(_ report: inout Report, count: Int = 10_000) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let (ledger, store) = try await open(directory.path + "/ledger")
    let (lone, joined) = (try await promises(count, ledger), try await promises(count, ledger))
    var all: DurablePromise<[Int]>?
    _ = store.takeHolds()
    let creation = try await timeAsync { all = try await ledger.all(joined) }
    let holds = store.takeHolds()
    report.add(
      "joint of \(count), creation, ms", creation / .milliseconds(1), nil, "\(holds.count) commits")
    let deciding = holds.map { ($0.whole - $0.appending) / .milliseconds(1) }
    let longest = (holds.map(\.whole).max() ?? .zero) / .milliseconds(1)
    report.add(
      "joint of \(count), longest lock but for writing, ms", deciding.max() ?? .nan, .atMost(2),
      "\(rounded(longest)) ms with writing and syncing")
    // The same settlements with and without a joint, in turns, so that both see the same machine.
    var extra: [Double] = []
    for indices in (0..<count).slices(of: 500) {
      let times = (
        lone: try await timeAsync { try await settle(lone[indices]) },
        joined: try await timeAsync { try await settle(joined[indices]) }
      )
      extra.append((times.joined - times.lone) / .microseconds(1) / Double(indices.count))
    }
    report.add("joint of \(count), more for each input, µs", extra.median, .atMost(5))
    guard let all else { return }
    let isSettled = try await all.record?.outcomeKind == .fulfilled
    report.add("joint of \(count), settled with its last input", isSettled ? 1 : 0, .atLeast(1))
    let reading = try await timeAsync { _ = try await all.consume() }
    report.add("joint of \(count), reading the values, ms", reading / .milliseconds(1), nil)
    await ledger.close()
  }

  private static func open(_ path: String) async throws -> (Ledger, TimedStore) {
    let store = TimedStore(
      try LMDBEventStore.openOrCreate(
        LedgerDirectory(path), options: StoreOptions(sizeLimit: 1 << 40),
        newLedgerID: LedgerID(entityID: EntityID(high: 1, low: 1)), now: .now))
    let ledger = try await Ledger.open(
      { () throws(LedgerError) in store }, FileSessionRegistry(in: LedgerDirectory(path)), as: .app,
      configuration: .asked)
    return (ledger, store)
  }

  private static func promises(
    _ count: Int, _ ledger: Ledger
  ) async throws -> [DurablePromise<Int>] {
    var all: [DurablePromise<Int>] = []
    for start in stride(from: 0, to: count, by: 1_000) {
      all += try await ledger.batch { batch in
        var promises: [DurablePromise<Int>] = []
        for _ in start..<min(start + 1_000, count) {
          promises.append(try batch.createPromise(of: Int.self))
        }
        return promises
      }
    }
    return all
  }

  private static func settle(_ promises: ArraySlice<DurablePromise<Int>>) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for promise in promises { group.addTask { try await promise.fulfill(1) } }
      try await group.waitForAll()
    }
  }
}
