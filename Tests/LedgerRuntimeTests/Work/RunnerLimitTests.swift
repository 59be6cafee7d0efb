import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// The amount of work that runs at once, and its order.
@Suite(.timeLimit(.minutes(5)))
struct RunnerLimitTests {
  /// Counts the code that runs at once.
  private final class Counter: Sendable {
    private let contents = Mutex((now: 0, most: 0, names: [String]()))

    func enter(_ name: String = "") {
      contents.withLock { contents in
        contents.now += 1
        contents.most = max(contents.most, contents.now)
        contents.names.append(name)
      }
    }

    func leave() { contents.withLock { $0.now -= 1 } }

    var most: Int { contents.withLock { $0.most } }
    var names: [String] { contents.withLock { $0.names } }
  }

  private let counter = Counter()

  private func open(_ lab: WorkLedger, gate: Gate = .opened) async throws -> Ledger {
    let counter = counter
    return try await lab.open { work, _ in
      counter.enter(work.name ?? "")
      await gate.pass()
      counter.leave()
      return 0
    }
  }

  @Test func atMostTheTotalRunsAtOnce() async throws {
    let gate = Gate()
    let ledger = try await open(try WorkLedger(), gate: gate)
    var promises: [DurablePromise<Int>] = []
    for _ in 0..<20 { promises.append(try await ledger.start(ScriptedWork())) }
    try await running(LedgerRunner(ledger, limits: .init(total: 3))) {
      await gate.arrival(3)
      gate.open()
      for promise in promises { _ = try await promise.outcome }
    }
    #expect(counter.most == 3)
  }

  /// More due work of full lanes than the runner remembers.
  @Test func fullLanesDoNotHoldUpOtherWork() async throws {
    let gate = Gate()
    let ledger = try await WorkLedger().open(as: .appExtension) { work, _ in
      if work.name == nil { await gate.pass() }
      return 0
    }
    var promises: [DurablePromise<Int>] = []
    for number in 1...6 {
      let lane = WorkOptions(lane: try WorkLane("lane \(number)"))
      for _ in 1...16 { promises.append(try await ledger.start(ScriptedWork(), options: lane)) }
    }
    let last = try await ledger.start(ScriptedWork(name: "last"))
    try await running(LedgerRunner(ledger)) {
      await gate.arrival(6)
      let isDone = try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask { try await last.outcome == .fulfilled(0) }
        group.addTask {
          try await Task.sleep(for: .seconds(30))
          return false
        }
        defer { group.cancelAll() }
        return try await group.next() ?? false
      }
      #expect(isDone)
      gate.open()
      for promise in promises { _ = try await promise.outcome }
    }
  }

  @Test func aKindWithALimitDoesNotHoldUpOthers() async throws {
    let gate = Gate()
    let lab = try WorkLedger()
    let counter = counter
    let code: WorkLedger.Code = { _, _ in
      counter.enter()
      await gate.pass()
      counter.leave()
      return 0
    }
    let ledger = try await lab.open(code, other: { $0 })
    // More than the runner remembers.
    let promises = try await withThrowingTaskGroup(of: DurablePromise<Int>.self) { group in
      for _ in 0..<1_100 { group.addTask { try await ledger.start(ScriptedWork()) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let other = try await ledger.start(OtherWork(name: "x"))
    // By a former name, too.
    let limits = RunnerLimits(total: 8, kinds: ["scripted-task": 2])
    try await running(LedgerRunner(ledger, limits: limits)) {
      #expect(try await other.outcome == .fulfilled("x"))
      await gate.arrival(2)
      #expect(counter.most == 2)
      gate.open()
      for promise in promises { _ = try await promise.outcome }
    }
    #expect(counter.most == 2)
  }

  @Test func aLimitForAnUnknownKindIsRefused() async throws {
    let ledger = try await WorkLedger().open()
    let limits = RunnerLimits(kinds: ["scripted-wrok": 2])
    let error = await #expect(throws: LedgerError.self) {
      try await LedgerRunner(ledger, limits: limits).drain(until: ledger.now + .seconds(1))
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("scripted-wrok") == true)
  }

  @Test(arguments: [1, 3])
  func aLaneIsNeverTooWide(width: Int) async throws {
    let lab = try WorkLedger()
    let sessions = [try await open(lab), try await open(lab)]
    let lane = WorkOptions(lane: try WorkLane("lane", width: width))
    var promises: [DurablePromise<Int>] = []
    for number in 0..<100 {
      promises.append(try await sessions[0].start(ScriptedWork(name: "\(number)"), options: lane))
    }
    try await running(LedgerRunner(sessions[0]), LedgerRunner(sessions[1])) {
      for promise in promises { _ = try await promise.outcome }
    }
    #expect(counter.most <= width)
    if width == 1 { #expect(counter.names == (0..<100).map(String.init)) }
  }

  @Test func workThatFailsKeepsItsPlaceInTheLane() async throws {
    let clock = ManualLedgerClock()
    let lab = try WorkLedger(clock: clock)
    let notes = Notes()
    let ledger = try await lab.open { work, call in
      notes.add("\(work.name ?? "") \(call.attempt)")
      if work.name == "a", call.attempt == 1 { throw ScriptedError(text: "again") }
      return 0
    }
    let lane = WorkOptions(lane: try WorkLane("lane"))
    let first = try await ledger.start(ScriptedWork(name: "a"), options: lane)
    let second = try await ledger.start(ScriptedWork(name: "b"), options: lane)
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: first.id, in: ledger) { $0.work?.failureCount == 1 }
      clock.advance(by: .seconds(1))
      _ = try await second.outcome
    }
    #expect(notes.lines == ["a 1", "a 2", "b 1"])
  }

  @Test func aPriorityCountsAsMinutes() async throws {
    let clock = ManualLedgerClock()
    let ledger = try await open(try WorkLedger(clock: clock))
    var promises: [DurablePromise<Int>] = []
    for (name, priority) in [("a", 0), ("b", 2), ("c", 0), ("d", 1), ("e", -1)] {
      promises.append(
        try await ledger.start(
          ScriptedWork(name: name), options: WorkOptions(priority: Int8(priority))))
      // A minute and a half between one and the next.
      clock.advance(by: .seconds(90))
    }
    try await running(LedgerRunner(ledger, limits: .init(total: 1))) {
      for promise in promises { _ = try await promise.outcome }
    }
    // In half minutes: a 0, b 3 - 4, c 6, d 9 - 2, e 12 + 2.
    #expect(counter.names == ["b", "a", "c", "d", "e"])
  }

  @Test func workStartsWhenItsTimeComes() async throws {
    let clock = ManualLedgerClock()
    let lab = try WorkLedger(clock: clock)
    let ledger = try await open(lab)
    let late = try await ledger.start(ScriptedWork(name: "late"), at: clock.now() + .seconds(60))
    try await running(LedgerRunner(ledger)) {
      _ = try await ledger.start(ScriptedWork(name: "now")).outcome
      clock.advance(by: .seconds(59))
      _ = try await ledger.start(ScriptedWork(name: "then")).outcome
      #expect(try await late.record?.work?.attemptCount == 0)
      clock.advance(by: .seconds(1))
      _ = try await late.outcome
    }
    #expect(counter.names == ["now", "then", "late"])
  }

  @Test func aTimeComesByTheSystemClockToo() async throws {
    let ledger = try await open(try WorkLedger())
    try await running(LedgerRunner(ledger)) {
      let start = Timestamp.now
      let promise = try await ledger.start(ScriptedWork(), at: start + .milliseconds(20))
      _ = try await promise.outcome
      #expect(Timestamp.now >= start + .milliseconds(20))
    }
  }
}
