import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Work in memory, with a clock that jumps.
@Suite(.timeLimit(.minutes(5)))
struct LedgerTesterTests {
  private static let day = Duration.seconds(86_400)

  private let tester = LedgerTester()
  private let notes = Notes()

  private func open(
    in other: LedgerTester? = nil, _ code: @escaping WorkLedger.Code = { _, _ in 0 }
  ) async throws -> LedgerProcess {
    var handlers = HandlerRegistry()
    try handlers.register(ScriptedWork.self) { ScriptedWork.Script(code: code) }
    return try await (other ?? tester).open(handlers)
  }

  /// The error of a run until a promise is settled.
  private func standstill(
    of tester: LedgerTester, _ worker: LedgerProcess, _ promise: DurablePromise<Int>
  ) async throws -> WorkStandstill {
    try #require(
      await #expect(throws: WorkStandstill.self) {
        _ = try await tester.run(worker, until: promise)
      })
  }

  // MARK: The clock

  @Test func theClockJumpsToTheEndOfAPause() async throws {
    let worker = try await open { _, call in
      try await call.sleep(for: Self.day * 3)
      return 1
    }
    let start = tester.clock.now()
    let promise = try await worker.ledger.start(ScriptedWork())
    #expect(try await tester.run(worker, until: promise) == .fulfilled(1))
    #expect(tester.clock.now() == start + Self.day * 3)
  }

  @Test func theClockJumpsToTheTriggerOfWork() async throws {
    let worker = try await open()
    let time = tester.clock.now() + Self.day
    let promise = try await worker.ledger.start(ScriptedWork(), at: time)
    #expect(try await tester.run(worker, until: promise) == .fulfilled(0))
    #expect(tester.clock.now() == time)
  }

  @Test func theClockJumpsToRetriesOfTheCode() async throws {
    let worker = try await open { _, call in
      guard call.attempt == 4 else { throw ScriptedError(text: "not yet") }
      return call.attempt
    }
    let start = tester.clock.now()
    let promise = try await worker.ledger.start(ScriptedWork())
    #expect(try await tester.run(worker, until: promise) == .fulfilled(4))
    #expect(tester.clock.now() > start + .seconds(3))
  }

  @Test func waitsTooShortToGiveTheWorkBackPassToo() async throws {
    let worker = try await open { [notes] _, call in
      try await call.sleep(for: .milliseconds(900))
      let never = try await call.promise("never", of: Int.self)
      let end = call.startedAt + .milliseconds(1_700)
      #expect(try await call.outcome(of: never, until: end) == nil)
      notes.add("attempt \(call.attempt)")
      return 1
    }
    let start = tester.clock.now()
    let promise = try await worker.ledger.start(ScriptedWork())
    #expect(try await tester.run(worker, until: promise) == .fulfilled(1))
    #expect(tester.clock.now() == start + .milliseconds(1_700))
    #expect(notes.lines == ["attempt 1"])
  }

  @Test func theClockJumpsToADeadline() async throws {
    let worker = try await open { _, call in
      try await call.value(of: call.promise("never", of: Int.self))
    }
    let deadline = tester.clock.now() + Self.day
    let promise = try await worker.ledger.start(ScriptedWork(), deadline: deadline)
    #expect(try await tester.run(worker, until: promise) == .timedOut)
    #expect(tester.clock.now() == deadline)
  }

  @Test func theClockStandsWhileWorkIsDue() async throws {
    let worker = try await open { work, call in
      guard work.name == nil else { return 1 }
      let children = try await (0..<3).asyncMap { number in
        try await call.start(ScriptedWork.self, ["name": "\(number)"], name: "child")
      }
      return try await children.asyncMap { try await call.value(of: $0) }.reduce(0, +)
    }
    let start = tester.clock.now()
    let promise = try await worker.ledger.start(ScriptedWork())
    try await worker.ledger.start(ScriptedWork(name: "later"), at: start + Self.day)
    #expect(try await tester.run(worker, until: promise) == .fulfilled(3))
    #expect(tester.clock.now() == start)
  }

  @Test func whatIsDueRunsWithoutAJump() async throws {
    let worker = try await open { [notes] work, call in
      notes.add(work.name ?? "")
      try await call.sleep(for: Self.day)
      return 1
    }
    let start = tester.clock.now()
    let promise = try await worker.ledger.start(ScriptedWork(name: "now"))
    try await worker.ledger.start(ScriptedWork(name: "later"), at: start + Self.day)
    try await tester.runDue(worker)
    #expect(notes.lines == ["now"])
    #expect(tester.clock.now() == start)
    #expect(try await promise.record?.status == .pending)
  }

  @Test func allTimesPassUntilNothingIsAwaited() async throws {
    let worker = try await open { [notes] work, call in
      try await call.sleep(for: Self.day)
      notes.add(work.name ?? "")
      guard work.name == "stays" else { return 1 }
      return try await call.value(of: call.promise("never", of: Int.self))
    }
    for name in ["stays", "ends"] { try await worker.ledger.start(ScriptedWork(name: name)) }
    try await tester.runUntilIdle(worker)
    #expect(Set(notes.lines) == ["stays", "ends"])
    #expect(try await worker.ledger.openWork().count == 1)
  }

  // MARK: Standstills

  @Test func aStandstillNamesWhatAllOpenWorkWaitsFor() async throws {
    let worker = try await open { _, call in
      try await call.value(of: call.promise("answer", of: Int.self))
    }
    let promise = try await worker.ledger.start(ScriptedWork())
    let other = try await worker.ledger.start(ScriptedWork())
    let error = try await standstill(of: tester, worker, promise)
    #expect(error.reason == .nothingIsAwaited)
    #expect(error.promise == promise.id)
    #expect(error.time == tester.clock.now())
    #expect(error.explanations.map(\.id) == [promise.id.entityID, other.id.entityID])
    let text = "\(error)"
    #expect(
      text.hasPrefix("At \(error.time), no work is due, and nothing waits for a time."))
    #expect(text.contains("Promise \(promise.id) is pending."))
    #expect(text.contains("\n- \(other.id): "))
  }

  @Test func aStandstillNamesAPromiseWithoutWork() async throws {
    let worker = try await open()
    let promise = try await worker.ledger.createPromise(of: Int.self)
    let error = try await standstill(of: tester, worker, promise)
    #expect(error.explanations.map(\.id) == [promise.id.entityID])
  }

  @Test func codeThatDoesNotEndIsNamed() async throws {
    let tester = LedgerTester(patience: .milliseconds(50))
    let worker = try await open(in: tester) { _, _ in
      try await Task.sleep(for: .seconds(3_600))
      return 0
    }
    let promise = try await worker.ledger.start(ScriptedWork())
    let standstill = try await standstill(of: tester, worker, promise)
    #expect(standstill.reason == .codeDoesNotEnd(.milliseconds(50)))
    #expect(standstill.explanations.first?.reasons.first?.name == "runs")
    // It was cancelled, and its work given back.
    #expect(try await promise.record?.work?.state == .waiting(.now))
  }

  @Test func theJumpsAreLimited() async throws {
    let tester = LedgerTester(maximumJumpCount: 5)
    let worker = try await open(in: tester) { _, call in
      while true { try await call.sleep(for: Self.day) }
    }
    let promise = try await worker.ledger.start(ScriptedWork())
    let error = try await standstill(of: tester, worker, promise)
    #expect(error.reason == .tooManyJumps(5))
    #expect("\(error)".hasPrefix("The clock was moved 5 times, the last time to 2026-01-06T"))
  }

  // MARK: Processes

  @Test func eachProcessRunsTheKindsThatItKnows() async throws {
    let first = try await open()
    var handlers = HandlerRegistry()
    try handlers.register(OtherWork.self) { OtherScript { "other \($0)" } }
    let second = try await tester.open(handlers, as: .appExtension)
    let promise = try await first.ledger.start(OtherWork(name: "one"))
    await #expect(throws: WorkStandstill.self) {
      _ = try await tester.run(first, until: promise)
    }
    #expect(try await tester.run(second, until: promise) == .fulfilled("other one"))
  }

  @Test func idsComeFromASequence() async throws {
    var ids: [[PromiseID]] = []
    for _ in 0..<2 {
      let tester = LedgerTester()
      let workers = [try await open(in: tester), try await open(in: tester)]
      ids.append(try await workers.asyncMap { try await $0.ledger.start(ScriptedWork()).id })
    }
    #expect(ids[0] == ids[1])
    #expect(ids[0][0] != ids[0][1])
  }

  @Test func aKilledProcessWritesNothingMore() async throws {
    let tester = tester
    let victim = Victim()
    let worker = try await open { [notes] _, call in
      try await call.step("one") { _ in }
      try await call.step("two") { _ in
        if let worker = victim.take() { await worker.kill() }
        notes.add("body \(call.attempt)")
      }
      return call.attempt
    }
    victim.set(worker)
    let promise = try await worker.ledger.start(ScriptedWork())
    let error = await #expect(throws: LedgerError.self) {
      _ = try await tester.run(worker, until: promise)
    }
    #expect(error?.code == .sessionEnded)

    let next = try await open { [notes] _, call in
      try await call.step("one") { _ in notes.add("one again") }
      try await call.step("two") { _ in notes.add("body \(call.attempt)") }
      return call.attempt
    }
    let work = try #require(try await next.ledger.record(of: promise.id)?.work)
    #expect(work.steps == ["one"])
    #expect(work.deathCount == 1)
    #expect(work.state == .waiting(.now))
    #expect(try await tester.run(next, until: promise) == .fulfilled(2))
    #expect(notes.lines.last == "body 2")
    #expect(!notes.lines.contains("one again"))
  }

  @Test func anOpenProcessGivesTheAttemptsOfAKilledOneBack() async throws {
    let tester = tester
    let victim = Victim()
    let other = try await open { _, call in call.attempt }
    let worker = try await open { _, _ in
      if let worker = victim.take() { await worker.kill() }
      return 0
    }
    victim.set(worker)
    let promise = try await worker.ledger.start(ScriptedWork())
    await #expect(throws: LedgerError.self) { try await tester.runDue(worker) }
    #expect(try await other.ledger.openSessions().map(\.id) == [other.ledger.session])
    #expect(try await tester.run(other, until: promise) == .fulfilled(2))
  }

  @Test func aKilledProcessStaysDead() async throws {
    let worker = try await open()
    await worker.kill()
    await worker.kill()
    let error = await #expect(throws: LedgerError.self) {
      try await worker.ledger.start(ScriptedWork())
    }
    #expect(error?.code == .sessionEnded)
    let again = await #expect(throws: LedgerError.self) { try await tester.runDue(worker) }
    #expect(again?.code == .sessionEnded)
  }

  @Test func aProcessOfAnotherTesterIsRefused() async throws {
    let worker = try await open(in: LedgerTester())
    let error = await #expect(throws: LedgerError.self) { try await tester.runDue(worker) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func aProcessWithoutItsTesterIsNotRestarted() async throws {
    let worker = try await open(in: LedgerTester())
    let error = await #expect(throws: LedgerError.self) { try await worker.restart() }
    #expect(error?.code == .closed)
  }

  @Test func aPromiseOfAnotherLedgerIsNotFound() async throws {
    let other = try await open(in: LedgerTester()).ledger.createPromise(of: Int.self)
    let worker = try await open()
    let error = await #expect(throws: LedgerError.self) {
      _ = try await tester.run(worker, until: other)
    }
    #expect(error?.code == .notFound)
  }

  @Test func aProcessRunsOnceAtATime() async throws {
    let tester = tester
    let victim = Victim()
    let worker = try await open { _, _ in
      guard let worker = victim.take() else { return 0 }
      let error = await #expect(throws: LedgerError.self) { try await tester.runDue(worker) }
      #expect(error?.code == .invalidArgument)
      return 1
    }
    victim.set(worker)
    let promise = try await worker.ledger.start(ScriptedWork())
    #expect(try await tester.run(worker, until: promise) == .fulfilled(1))
  }
}

/// The process that code kills or uses once.
private final class Victim: Sendable {
  private let contents = Mutex<LedgerProcess?>(nil)

  func set(_ ledger: LedgerProcess) { contents.withLock { $0 = ledger } }
  func take() -> LedgerProcess? { contents.withLock { $0.take() } }
}

extension Sequence {
  fileprivate func asyncMap<R>(_ transform: (Element) async throws -> R) async rethrows -> [R] {
    var result: [R] = []
    for element in self { result.append(try await transform(element)) }
    return result
  }
}
