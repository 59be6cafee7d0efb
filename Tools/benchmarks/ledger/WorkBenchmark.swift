import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Work that is started, claimed and done: its commits, and its rate.
enum WorkBenchmark {
  private typealias Nothing = BenchmarkedWork.Nothing
  private typealias ThreeSteps = BenchmarkedWork.ThreeSteps

  static func run(_ report: inout Report) async throws {
    try await runCommits(&report)
    try await runEmpty(&report)
    try await runSteps(&report)
    try await DueWorkBenchmark.run(&report)
    try await JointBenchmark.run(&report)
    try MemoryBenchmark.runQueuedWork(&report)
    try ExtensionBenchmark.run(&report)
  }

  // MARK: Commits

  /// The commits of work with three steps, when nothing else is done.
  private static func runCommits(_ report: inout Report) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let path = directory.path + "/ledger"
    let ledger = try await BenchmarkedWork.open(path)
    let client = try await BenchmarkedWork.open(path)
    try await BenchmarkedWork.running(ledger) {
      try await ledger.start(ThreeSteps()).consume()
      let queued = try await commits(path) { try await client.start(ThreeSteps()).consume() }
      report.add("commits of three steps, by another session", Double(queued), .atMost(6))
      let own = try await commits(path) { try await ledger.start(ThreeSteps()).consume() }
      report.add("commits of three steps, by the session itself", Double(own), .atMost(5))
      let awaited = try await client.createPromise(of: Int.self)
      let suspended = try await commits(path) {
        let work = try await client.start(BenchmarkedWork.Suspended(awaited: awaited))
        while try await client.record(of: work.id)?.work?.isSuspended != true {
          try await Task.sleep(for: .milliseconds(1))
        }
        try await awaited.fulfill(1)
        try await work.consume()
      }
      // One of them settled the awaited promise.
      report.add("commits more with a suspension", Double(suspended - 1 - queued), .atMost(2))
    }
    await client.close()
    await ledger.close()
  }

  /// The number of commits during `body`.
  private static func commits(_ path: String, _ body: () async throws -> Void) async throws -> Int {
    let before = try commitCount(path)
    try await body()
    return try commitCount(path) - before
  }

  private static func commitCount(_ path: String) throws -> Int {
    let inspector = try BlockingInspector(at: path)
    defer { inspector.close() }
    return try inspector.statistics().commitCount
  }

  // MARK: Rates

  /// Empty work, one after the other and with many in flight.
  private static func runEmpty(_ report: inout Report) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let ledger = try await BenchmarkedWork.open(directory.path + "/ledger")
    let body = { @Sendable () async throws in try await ledger.start(Nothing()).consume() }
    try await BenchmarkedWork.running(ledger) {
      _ = try await Rate.measure(tasks: 64, for: .milliseconds(300), body)
      let alone = try await Rate.measure(tasks: 1, for: .milliseconds(600), body)
      report.add("empty work alone, a second", alone.perSecond, nil)
      let with64 = try await Rate.measure(tasks: 64, for: .seconds(2), body)
      report.add("empty work, 64 in flight, a second", with64.perSecond, nil)
      let with512 = try await Rate.measure(tasks: 512, for: .seconds(4), body)
      report.add("empty work, 512 in flight, a second", with512.perSecond, .atLeast(15_000))
      report.add("empty work, 512 in flight, µs of CPU each", with512.cost, .atMost(60))
    }
    await ledger.close()
  }

  /// Work with three steps, with many in flight.
  private static func runSteps(_ report: inout Report) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let ledger = try await BenchmarkedWork.open(directory.path + "/ledger")
    let body = { @Sendable () async throws in try await ledger.start(ThreeSteps()).consume() }
    try await BenchmarkedWork.running(ledger) {
      _ = try await Rate.measure(tasks: 64, for: .milliseconds(300), body)
      let rate = try await Rate.measure(tasks: 512, for: .seconds(4), body)
      report.add("three steps, 512 in flight, a second", rate.perSecond, .atLeast(4_000))
      report.add("three steps, 512 in flight, µs of CPU each", rate.cost, nil)
    }
    await ledger.close()
  }
}

extension WorkRecord {
  /// Whether its code waits, and no session runs it.
  fileprivate var isSuspended: Bool {
    guard case .waiting = state else { return false }
    return attemptCount > 0
  }
}
