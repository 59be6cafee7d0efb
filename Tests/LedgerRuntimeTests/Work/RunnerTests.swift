import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Work that a runner runs.
@Suite(.timeLimit(.minutes(5)))
struct RunnerTests {
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger()
  }

  @Test func theResultOfCodeFulfilsItsPromise() async throws {
    let ledger = try await lab.open { work, call in
      #expect(call.attempt == 1 && call.idempotencyKey == "\(call.promise)")
      return work.name?.count ?? 0
    }
    let value = try await running(LedgerRunner(ledger)) {
      try await ledger.start(ScriptedWork(name: "four")).consume()
    }
    #expect(value == 4)
  }

  @Test func workThatWasStartedBeforeTheRunnerRuns() async throws {
    let ledger = try await lab.open { _, _ in 7 }
    let promise = try await ledger.start(ScriptedWork())
    let value = try await running(LedgerRunner(ledger)) { try await promise.outcome.get() }
    #expect(value == 7)
    // The outcome needs no consumption.
    #expect(try await promise.consume() == 7)
    #expect(try await promise.consume() == 7)
    let record = try #require(try await promise.record)
    #expect(record.status == .resolved && record.consumed == nil)
    #expect(record.work?.state == .ended && record.work?.attemptCount == 1)
  }

  @Test func anotherProcessMayRunIt() async throws {
    let app = try await lab.open { _, _ in throw ScriptedError(text: "not here") }
    let worker = try await lab.open(as: .appExtension) { _, call in 9 }
    let value = try await running(LedgerRunner(worker)) {
      try await app.start(ScriptedWork()).consume()
    }
    #expect(value == 9)
  }

  @Test func theSameKeyStartsWorkOnce() async throws {
    let notes = Notes()
    let ledger = try await lab.open { _, _ in
      notes.add("ran")
      return 1
    }
    try await running(LedgerRunner(ledger)) {
      let key = try PromiseKey("once")
      let first = try await ledger.start(ScriptedWork(), key: key)
      _ = try await first.consume()
      let second = try await ledger.start(ScriptedWork(), key: key)
      #expect(second.id == first.id)
      #expect(try await second.consume() == 1)
    }
    #expect(notes.lines == ["ran"])
  }

  @Test func effectsHappenWithTheResult() async throws {
    let ledger = try await lab.open { work, call in
      if let promise = work.promise { try call.fulfill(promise, 5) }
      return 1
    }
    let other = try await ledger.createPromise(of: Int.self)
    let promise = try await running(LedgerRunner(ledger)) {
      let promise = try await ledger.start(ScriptedWork(promise: other))
      _ = try await promise.outcome
      return promise
    }
    #expect(try await other.consume() == 5)
    let resolutions = try #require(
      try await (promise.record?.resolved?.position, other.record?.resolved?.position))
    // In one commit, the effect first.
    #expect(resolutions.1?.rawValue == resolutions.0.map { $0.rawValue - 1 })
  }

  @Test func aPromiseThatCodeSettlesIsNotResolvedFromOutside() async throws {
    let ledger = try await lab.open()
    let promise = try await ledger.start(ScriptedWork())
    await expectError(.promiseIsComputed, naming: ["\(promise.id)"]) {
      try await promise.fulfill(1)
    }
    await expectError(.promiseIsComputed) { try await promise.cancel() }
    #expect(try await promise.record?.status == .pending)
  }

  /// Its payload has a name that no event can hold. Such a name may come from an outcome that the code decoded.
  @Test func anErrorThatNoEventCanHoldIsKeptWithoutItsPayload() async throws {
    let name = String(repeating: "a", count: 65_536)
    let ledger = try await lab.open { _, _ in
      throw StoredError(domain: "d", message: "m", payload: .init(typeTag: name, bytes: [1]))
    }
    let options = WorkOptions(retryPolicy: try WorkRetryPolicy(failureLimit: 1))
    let promise = try await ledger.start(ScriptedWork(), options: options)
    let outcome = try await running(LedgerRunner(ledger)) { try await promise.outcome }
    #expect(outcome == .rejected(StoredError(domain: "d", message: "m")))
  }

  @Test func argumentsThatCannotFitAreRefused() async throws {
    let ledger = try await lab.open()
    await expectError(.invalidArgument, naming: ["nmae", "name"]) {
      try await ledger.start(ScriptedWork.self, ["nmae": "x"])
    }
    await expectError(.argumentMismatch) {
      try await ledger.start(ScriptedWork.self, ["name": 1])
    }
    for timeout in [.seconds(-1), .zero, .nanoseconds(0.5)] as [Duration] {
      await expectError(.invalidArgument, naming: ["at least a nanosecond"]) {
        try await ledger.start(ScriptedWork(), options: WorkOptions(attemptTimeout: timeout))
      }
    }
    #expect(try await ledger.openWork().isEmpty)
  }

  @Test func oneSessionHasOneRunner() async throws {
    let ledger = try await lab.open()
    try await running(LedgerRunner(ledger)) {
      _ = try await ledger.start(ScriptedWork()).outcome
      await expectError(.invalidArgument, naming: ["runner"]) {
        try await LedgerRunner(ledger).run()
      }
    }
    // Once it ended, another one may run.
    _ = try await running(LedgerRunner(ledger)) { try await ledger.start(ScriptedWork()).outcome }
  }

  @Test func aRunnerRefusesKindsThatTheSessionDoesNotKnow() async throws {
    let ledger = try await lab.open()
    await expectError(.invalidArgument, naming: ["mail"]) {
      try await LedgerRunner(ledger, runs: .named("mail")).run()
    }
    await expectError(.invalidArgument) {
      try await LedgerRunner(ledger, limits: .init(total: 0)).run()
    }
  }

  @Test func aRunnerEndsWithItsLedger() async throws {
    let ledger = try await lab.open()
    let runner = Task { try await LedgerRunner(ledger).run() }
    _ = try await ledger.start(ScriptedWork()).outcome
    await ledger.close()
    try await runner.value
  }

  @Test func workOfAnUnknownKindWaitsForASessionThatKnowsIt() async throws {
    let ledger = try await lab.open()
    let promise = try await ledger.start(OtherWork(name: "a"))
    try await running(LedgerRunner(ledger)) {
      // Later work runs, so the other was seen.
      _ = try await ledger.start(ScriptedWork()).outcome
    }
    #expect(try await ledger.openWork(ofKind: OtherWork.kind).map(\.id) == [promise.id])
    let other = try await lab.open(other: { "\($0)!" })
    let value = try await running(LedgerRunner(other)) { try await promise.outcome.get() }
    #expect(value == "a!")
  }

  @Test func workUnderAFormerNameOfItsKindRuns() async throws {
    struct Former: LedgerWork {
      static let kind = "scripted-task"
      func run(in call: WorkCall<Void>) async throws -> Int { 0 }
    }
    let ledger = try await lab.open { _, _ in 3 }
    let promise = try await ledger.start(Former())
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 3)
  }
}
