import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Much work that becomes due at once: at a time, or because a promise is settled.
enum DueWorkBenchmark {
  private typealias Noted = BenchmarkedWork.Noted
  private typealias Moments = BenchmarkedWork.Moments

  static func run(_ report: inout Report) async throws {
    try await runTimers(&report, count: 10_000)
    try await runSleepingTimers(&report, count: 10_000)
    try await runContinuations(&report, count: 100_000)
  }

  private static func runTimers(_ report: inout Report, count: Int) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let moments = Moments()
    let ledger = try await BenchmarkedWork.open(directory.path + "/ledger", as: .app, moments)
    let start = Timestamp.now + .seconds(4)
    try await inParallel(count) { _ in try await ledger.start(Noted(), at: start) }
    guard Timestamp.now < start else {
      return report.miss("the timers came before all \(count) of them were made")
    }
    let due = MonotonicClock.now + (start - Timestamp.now)
    try await BenchmarkedWork.running(ledger) {
      while moments.all.count < count { try await Task.sleep(for: .milliseconds(10)) }
    }
    let ran = moments.all.map { ($0 - due).inMicroseconds / 1e3 }
    report.add("\(count) timers due at once, first, ms", ran.min() ?? .nan, .atMost(50))
    report.add("\(count) timers due at once, last, ms", ran.max() ?? .nan, .atMost(2_000))
    await ledger.close()
  }

  /// How often a process with a runner wakes up, with and without timers that are not due yet.
  private static func runSleepingTimers(_ report: inout Report, count: Int) async throws {
    var wakeUps: [Double] = []
    for timers in [0, count] {
      let directory = try TemporaryDirectory.onDisk()
      let child = try Child("timers", directory.path + "/ledger", String(timers))
      wakeUps.append(try await child.wakeUpsPerSecond(for: .seconds(10)))
    }
    report.add(
      "wake-ups a second more, \(count) timers not due yet", wakeUps[1] - wakeUps[0], .atMost(2),
      "\(rounded(wakeUps[1])) against \(rounded(wakeUps[0])) without timers; the poll is once a second"
    )
  }

  /// A runner and work that is due in an hour.
  static func runTimersChild(_ path: String, count: Int) async throws {
    let ledger = try await BenchmarkedWork.open(path)
    let start = Timestamp.now + .seconds(3_600)
    try await inParallel(count) { _ in try await ledger.start(Noted(), at: start) }
    try await BenchmarkedWork.running(ledger) {
      // The runner has looked at all of them.
      try await ledger.start(BenchmarkedWork.Nothing()).consume()
      Child.reportWakeUps()
    }
  }

  /// The settlement of a promise with many continuations.
  private static func runContinuations(_ report: inout Report, count: Int) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let moments = Moments()
    let ledger = try await BenchmarkedWork.open(directory.path + "/ledger", as: .app, moments)
    let awaited = try await ledger.createPromise(of: Int.self)
    try await inParallel(count) { _ in try await awaited.then(Noted.self) }
    var plain: [Double] = []
    for _ in 0..<20 {
      let promise = try await ledger.createPromise(of: Int.self)
      plain.append(try await timeAsync { try await promise.fulfill(1) }.inMicroseconds)
    }
    let settlement = try await timeAsync { try await awaited.fulfill(1) }.inMicroseconds
    report.add(
      "settlement with \(count) continuations, ms longer", (settlement - plain.median) / 1e3,
      .atMost(1))
    let start = MonotonicClock.now
    try await BenchmarkedWork.running(ledger) {
      while moments.all.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
      report.add(
        "\(count) continuations due, first, ms",
        ((moments.all.first ?? start) - start).inMicroseconds / 1e3, .atMost(500))
      while moments.all.count < count { try await Task.sleep(for: .milliseconds(10)) }
    }
    let seconds = ((moments.all.max() ?? start) - start).inMicroseconds / 1e6
    report.add("\(count) continuations, a second", Double(count) / seconds, nil)
    await ledger.close()
  }

  private static func inParallel(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<512 {
        group.addTask {
          for number in stride(from: task, to: count, by: 512) { try await body(number) }
        }
      }
      try await group.waitForAll()
    }
  }
}
