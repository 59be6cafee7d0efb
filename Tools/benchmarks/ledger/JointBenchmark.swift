import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Joints of many promises.
enum JointBenchmark {
  static func run(_ report: inout Report, count: Int = 10_000) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let ledger = try await Ledger.open(
      at: directory.path + "/ledger", as: .app, configuration: .asked)
    let (lone, joined) = (try await promises(count, ledger), try await promises(count, ledger))
    var all: DurablePromise<[Int]>?
    let creation = try await timeAsync { all = try await ledger.all(joined) }
    report.add("joint of \(count), creation, ms", creation / .milliseconds(1), nil)
    // The same settlements with and without a joint, in turns, so that both see the same machine.
    var times = (lone: Duration.zero, joined: Duration.zero)
    for indices in stride(from: 0, to: count, by: 500).map({ $0..<min($0 + 500, count) }) {
      times.lone += try await timeAsync { try await settle(lone[indices]) }
      times.joined += try await timeAsync { try await settle(joined[indices]) }
    }
    let extra = (times.joined - times.lone) / .microseconds(1) / Double(count)
    report.add("joint of \(count), more for each input, µs", extra, .atMost(5))
    guard let all else { return }
    let isSettled = try await all.record?.outcomeKind == .fulfilled
    report.add("joint of \(count), settled with its last input", isSettled ? 1 : 0, .atLeast(1))
    let reading = try await timeAsync { _ = try await all.consume() }
    report.add("joint of \(count), reading the values, ms", reading / .milliseconds(1), nil)
    await ledger.close()
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
