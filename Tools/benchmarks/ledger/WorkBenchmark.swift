import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting
import Synchronization

/// Work that is started, claimed and done.
enum WorkBenchmark {
  /// Code that does nothing.
  private struct Nothing: LedgerWork {
    static let kind = "nothing"
    func run(in call: WorkCall<Void>) async throws {}
  }

  /// Code with three steps that do nothing.
  private struct ThreeSteps: LedgerWork {
    static let kind = "three-steps"
    func run(in call: WorkCall<Void>) async throws {
      try await call.step("first") { _ in }
      try await call.step("second") { _ in }
      try await call.step("third") { _ in }
    }
  }

  /// Code that notes when it ran.
  private struct Noted: LedgerWork {
    static let kind = "noted"
    func run(in call: WorkCall<Moments>) async throws { call.context.note() }
  }

  /// When code ran.
  private final class Moments: Sendable {
    private let moments = Mutex<[Duration]>([])
    func note() { moments.withLock { $0.append(MonotonicClock.now) } }
    var all: [Duration] { moments.withLock { $0 } }
    func clear() { moments.withLock { $0 = [] } }
  }

  static func run(_ report: inout Report) async throws {
    try await runEmpty(&report)
    try await runSteps(&report)
    try await runTimers(&report, count: 10_000)
    try await runContinuations(&report, count: 100_000)
    try await JointBenchmark.run(&report)
  }

  private static func open(
    _ directory: TemporaryDirectory, _ moments: Moments = Moments()
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration.asked
    try configuration.handlers.register(Nothing.self)
    try configuration.handlers.register(ThreeSteps.self)
    try configuration.handlers.register(Noted.self) { moments }
    return try await Ledger.open(
      at: directory.path + "/ledger", as: .app, configuration: configuration)
  }

  /// Empty work, one after the other and with many in flight.
  private static func runEmpty(_ report: inout Report) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let ledger = try await open(directory)
    let runner = Task { try await LedgerRunner(ledger, limits: .init(total: 512)).run() }
    _ = try await done(ledger, tasks: 64, for: .milliseconds(300))
    let alone = try await done(ledger, tasks: 1, for: .milliseconds(600))
    report.add("empty work alone, a second", alone, nil)
    for tasks in [64, 512] {
      let rate = try await done(ledger, tasks: tasks, for: .seconds(2))
      report.add(
        "empty work, \(tasks) in flight, a second", rate, tasks == 512 ? .atLeast(15_000) : nil)
    }
    runner.cancel()
    try await runner.value
    await ledger.close()
  }

  private static func done(_ ledger: Ledger, tasks: Int, for duration: Duration) async throws
    -> Double
  {
    try await rate(tasks: tasks, for: duration) { try await ledger.start(Nothing()).consume() }
  }

  /// How often tasks do something, a second.
  private static func rate(
    tasks: Int, for duration: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> Double {
    let start = MonotonicClock.now
    let end = start + duration
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<tasks {
        group.addTask {
          var count = 0
          while MonotonicClock.now < end {
            try await body()
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(count) / ((MonotonicClock.now - start).inMicroseconds / 1e6)
  }

  /// Work with three steps: its commits alone, and its rate with many in flight.
  private static func runSteps(_ report: inout Report) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let ledger = try await open(directory)
    let runner = Task { try await LedgerRunner(ledger, limits: .init(total: 512)).run() }
    try await ledger.start(ThreeSteps()).consume()
    let before = try commitCount(directory)
    try await ledger.start(ThreeSteps()).consume()
    let commits = try commitCount(directory) - before
    report.add("commits of three steps, alone", Double(commits), .atMost(6))
    let rate = try await rate(tasks: 512, for: .seconds(2)) {
      try await ledger.start(ThreeSteps()).consume()
    }
    report.add("three steps, 512 in flight, a second", rate, .atLeast(4_000))
    runner.cancel()
    try await runner.value
    await ledger.close()
  }

  private static func commitCount(_ directory: TemporaryDirectory) throws -> Int {
    let inspector = try BlockingInspector(at: directory.path + "/ledger")
    defer { inspector.close() }
    return try inspector.statistics().commitCount
  }

  /// Work that becomes due all at once.
  private static func runTimers(_ report: inout Report, count: Int) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let moments = Moments()
    let ledger = try await open(directory, moments)
    let start = Timestamp.now + .seconds(4)
    try await inParallel(count) { _ in _ = try await ledger.start(Noted(), at: start) }
    guard Timestamp.now < start else {
      print("     the timers came before all of them were made")
      return
    }
    let due = MonotonicClock.now + (start - Timestamp.now)
    let runner = Task { try await LedgerRunner(ledger, limits: .init(total: 512)).run() }
    while moments.all.count < count { try await Task.sleep(for: .milliseconds(10)) }
    let ran = moments.all.map { ($0 - due).inMicroseconds / 1e3 }
    report.add("\(count) timers due at once, first, ms", ran.min() ?? .nan, .atMost(50))
    report.add("\(count) timers due at once, last, ms", ran.max() ?? .nan, .atMost(2_000))
    runner.cancel()
    try await runner.value
    await ledger.close()
  }

  /// The settlement of a promise with many continuations.
  private static func runContinuations(_ report: inout Report, count: Int) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let moments = Moments()
    let ledger = try await open(directory, moments)
    let awaited = try await ledger.createPromise(of: Int.self)
    try await inParallel(count) { _ in _ = try await awaited.then(Noted.self) }
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
    let runner = Task { try await LedgerRunner(ledger, limits: .init(total: 512)).run() }
    while moments.all.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    report.add(
      "\(count) continuations due, first, ms",
      ((moments.all.first ?? start) - start).inMicroseconds / 1e3, .atMost(500))
    while moments.all.count < count { try await Task.sleep(for: .milliseconds(10)) }
    let seconds = ((moments.all.max() ?? start) - start).inMicroseconds / 1e6
    report.add("\(count) continuations, a second", Double(count) / seconds, nil)
    runner.cancel()
    try await runner.value
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
