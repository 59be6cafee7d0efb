import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// More than work may have, and work that a build does not know: each a clear error or a visible state.
@Suite(.timeLimit(.minutes(5)))
struct WorkInputTests {
  private func reasonForParking(_ code: @escaping WorkLedger.Code) async throws -> StoredError {
    let ledger = try await openWork(on: InMemoryEventStore(), code)
    let promise = try await ledger.start(ScriptedWork())
    let parked = try await running(LedgerRunner(ledger)) {
      try await record(of: promise.id, in: ledger) { $0.work?.state == .parked }
    }
    let error = try #require(parked.work?.lastError)
    // Nothing is lost: the promise is pending, and an operator may act.
    #expect(parked.status == .pending)
    await ledger.close()
    return error
  }

  // MARK: Limits

  @Test func oneStepTooManyParksTheWork() async throws {
    let notes = Notes()
    let error = try await reasonForParking { _, call in
      for number in 1...WorkStep.maximumCount {
        try await call.step("s", key: "\(number)") { _ in }
      }
      // Code that catches the error does nothing more.
      _ = try? await call.step("one more") { _ in }
      _ = try? await call.step("after it") { _ in notes.add("body") }
      return 0
    }
    #expect(error.message.contains("has finished 1000 steps, the maximum, so step one more"))
    #expect(error.message.contains("Start other work for a part of the steps."))
    #expect(notes.lines == [])
  }

  @Test func stepsThatAreTooLargeTogetherParkTheWork() async throws {
    let error = try await reasonForParking { _, call in
      for number in 1...5 {
        _ = try await call.step("large", key: "\(number)") { _ in
          [UInt8](repeating: 1, count: 15 << 20)
        }
      }
      return 0
    }
    #expect(error.message.hasPrefix("payloadTooLarge: The steps of work"))
    #expect(error.message.contains("with step large[5]; the maximum is \(64 << 20)."))
  }

  // MARK: Unknown kinds

  @Test func workInAnArchiveWaitsForABuildThatKnowsItsKind() async throws {
    let lab = try WorkLedger()
    let ledger = try await lab.open()
    let promise = try await ledger.start(OtherWork(name: "a"))
    let behind = try await promise.then(OtherWork.self)
    var archive: [UInt8] = []
    _ = try await ledger.export { archive += $0 }
    await ledger.close()
    let file = try ArchiveFile(archive)
    try importBlocking(file)

    // A build that knows neither the kind nor has a former name for it.
    let copy = try await file.temporary.open {
      try $0.register(ScriptedWork.self) { ScriptedWork.Script { _, _ in 0 } }
    }
    try await running(LedgerRunner(copy)) {
      // Later work runs, so the other was seen.
      _ = try await copy.start(ScriptedWork()).outcome
    }
    #expect(try await copy.openWork(ofKind: OtherWork.kind).map(\.id) == [promise.id, behind.id])
    let problems = try await copy.workPreflight()
    #expect(problems.map(\.promise) == [promise.id, behind.id])
    #expect(problems.allSatisfy { $0.error.code == .handlerUnregistered })
    let explanation = try #require(try await copy.explanation(of: promise.id))
    #expect(explanation.reasons.map(\.name) == ["dueWithSessions", "awaitedByWork"])
    await copy.close()

    let knowing = try await file.temporary.open {
      try $0.register(OtherWork.self) { OtherScript(code: { "\($0)!" }) }
    }
    let value = try await running(LedgerRunner(knowing)) {
      try await knowing.promise(id: promise.id, of: String.self).outcome.get()
    }
    #expect(value == "a!")
    await knowing.close()
  }

  private func importBlocking(_ file: ArchiveFile) throws {
    try LedgerImport().makeLedger(at: file.target, from: file.path)
  }

  // MARK: A limit on what waits

  @Test func aSessionWithALimitRefusesWorkUntilARunnerTookSome() async throws {
    let lab = try WorkLedger()
    let gate = Gate()
    var configuration = LedgerConfiguration()
    configuration.maximumQueuedWorkCount = 2
    try configuration.handlers.register(ScriptedWork.self) {
      ScriptedWork.Script { _, _ in
        await gate.pass()
        return 1
      }
    }
    let ledger = try await lab.temporary.open(as: .app, configuration: configuration)
    let first = try await ledger.start(ScriptedWork())
    let second = try await ledger.start(ScriptedWork(), key: PromiseKey("second"))
    await expectError(.tooManyQueued, naming: ["2 pieces of work", "maximumQueuedWorkCount"]) {
      try await ledger.start(ScriptedWork())
    }
    await expectError(.tooManyQueued) {
      try await ledger.startAll(ScriptedWork.self, [HandlerArguments(), HandlerArguments()])
    }
    // A repetition finds its work, and what waits for something else is no part of the queue.
    #expect(try await ledger.start(ScriptedWork(), key: PromiseKey("second")).id == second.id)
    let then = try await first.then(ScriptedWork.self)
    try await running(LedgerRunner(ledger)) {
      await gate.arrival(2)
      let third = try await ledger.start(ScriptedWork())
      gate.open()
      for promise in [first, second, third, then] {
        #expect(try await promise.outcome == .fulfilled(1))
      }
    }
    await ledger.close()
  }

  @Test func aLimitMustBePositive() async throws {
    let lab = try WorkLedger()
    var configuration = LedgerConfiguration()
    configuration.maximumQueuedWorkCount = 0
    await expectError(.invalidArgument) {
      try await lab.temporary.open(as: .app, configuration: configuration)
    }
  }
}
