import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Runners whose session freezes, ends, or has little time.
@Suite(.timeLimit(.minutes(5)))
struct RunnerSessionTests {
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger()
  }

  @Test func codeGoesOnWhileTheSessionIsFrozenAndItsResultCounts() async throws {
    let gate = Gate()
    let notes = Notes()
    let ledger = try await lab.open { _, call in
      notes.add("\(call.attempt)")
      await gate.pass()
      return 6
    }
    try await running(LedgerRunner(ledger)) {
      let promise = try await ledger.start(ScriptedWork())
      await gate.arrival()
      try await ledger.freeze()
      try await ledger.unfreeze()
      gate.open()
      #expect(try await promise.outcome == .fulfilled(6))
      // It was given back, and taken up again for its end.
      #expect(try await promise.record?.work?.attemptCount == 2)
    }
    #expect(notes.lines == ["1"])
  }

  @Test func anotherSessionRunsWhatAFrozenSessionGaveBack() async throws {
    let gate = Gate()
    let ledger = try await lab.open { _, _ in
      await gate.pass()
      return 1
    }
    let other = try await lab.open(as: .appExtension) { _, _ in 2 }
    try await running(LedgerRunner(ledger)) {
      let promise = try await ledger.start(ScriptedWork())
      await gate.arrival()
      try await ledger.freeze()
      let found = try other.promise(id: promise.id, of: Int.self)
      #expect(try await LedgerRunner(other).drain(until: .now + .seconds(60)))
      #expect(try await found.outcome == .fulfilled(2))
      try await ledger.unfreeze()
      gate.open()
      #expect(try await promise.outcome == .fulfilled(2))
    }
  }

  @Test func whatARunnerGivesBackIsRunByAnother() async throws {
    let gate = Gate()
    let ledger = try await lab.open { _, call in
      await gate.pass()
      if call.attempt == 1 { try await Task.sleep(for: .seconds(3_600)) }
      return call.attempt
    }
    gate.open()
    let promise = try await ledger.start(ScriptedWork())
    let runner = Task {
      try await LedgerRunner(ledger, limits: .init(gracePeriod: .zero)).run()
    }
    await gate.arrival()
    runner.cancel()
    try await runner.value
    #expect(try await promise.record?.work?.state == .waiting(.now))
    #expect(try await promise.record?.work?.failureCount == 0)
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 2)
  }

  @Test func aSessionThatClosesGivesItsWorkBack() async throws {
    let gate = Gate()
    let ledger = try await lab.open { _, _ in
      await gate.pass()
      return 1
    }
    let other = try await lab.open { _, call in 10 * call.attempt }
    let runner = Task { try await LedgerRunner(ledger).run() }
    let promise = try await ledger.start(ScriptedWork())
    await gate.arrival()
    await ledger.close()
    let found = try other.promise(id: promise.id, of: Int.self)
    let value = try await running(LedgerRunner(other)) { try await found.outcome.get() }
    #expect(value == 20)
    gate.open()
    try await runner.value
  }

  @Test func drainingRunsWhatIsDueAndReturns() async throws {
    let ledger = try await lab.open { work, _ in work.value ?? 0 }
    let now = try await ledger.start(ScriptedWork())
    let next = try await now.then(ScriptedWork.self)
    let late = try await ledger.start(ScriptedWork(), at: .now + .seconds(3_600))
    #expect(try await LedgerRunner(ledger).drain(until: .now + .seconds(60)))
    #expect(try await next.record?.status == .resolved)
    #expect(try await late.record?.status == .pending)
    // Nothing is left to do.
    #expect(try await LedgerRunner(ledger).drain(until: .now + .seconds(60)))
  }

  @Test func drainingWithoutTimeStartsNothing() async throws {
    let ledger = try await lab.open()
    let promise = try await ledger.start(ScriptedWork())
    #expect(try await !LedgerRunner(ledger).drain(until: .now))
    #expect(try await promise.record?.work?.attemptCount == 0)
  }

  @Test func codeThatRunsAtTheDeadlineOfADrainIsGivenBack() async throws {
    let ledger = try await lab.open { _, _ in
      try await Task.sleep(for: .seconds(3_600))
      return 0
    }
    let promise = try await ledger.start(ScriptedWork())
    #expect(try await !LedgerRunner(ledger).drain(until: .now + .milliseconds(200)))
    #expect(try await promise.record?.work?.state == .waiting(.now))
  }

  @Test func outcomesThatAPersonMustSeeAreStaleAfterTheAppIsGone() async throws {
    let app = try await lab.open { _, _ in 5 }
    let promise = try await app.start(ScriptedWork(), lifetime: .untilConsumed)
    await app.close()
    let later = try await lab.open { _, _ in 5 }
    #expect(try await LedgerRunner(later).drain(until: .now + .seconds(60)))
    let stale = try await later.stalePromises()
    #expect(stale.map(\.id) == [promise.id])
    #expect(try await later.unconsumedPromises().map(\.id) == [promise.id])
    #expect(try await later.promise(id: promise.id, of: Int.self).consume() == 5)
    #expect(try await later.stalePromises().isEmpty)
  }

  @Test func noWorkRunsTwiceInTwoProcesses() async throws {
    let notes = Notes()
    let code: WorkLedger.Code = { work, _ in
      notes.add(work.name ?? "")
      return 0
    }
    let sessions = [try await lab.open(code), try await lab.open(code), try await lab.open(code)]
    try await running(
      LedgerRunner(sessions[0]), LedgerRunner(sessions[1]), LedgerRunner(sessions[2])
    ) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<300 {
          group.addTask {
            let promise = try await sessions[number % 3].start(ScriptedWork(name: "\(number)"))
            _ = try await promise.outcome
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(notes.lines.count == 300)
    #expect(Set(notes.lines).count == 300)
  }
}
