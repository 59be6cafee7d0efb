import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A session reports the pending work that it cannot run, before a runner meets it.
@Suite(.timeLimit(.minutes(5)))
struct WorkPreflightTests {
  /// The kind of `ScriptedWork` in another build, whose argument has another type.
  private struct Numbered: LedgerWork {
    static let kind = ScriptedWork.kind
    let name: Int
    func run(in call: WorkCall<Void>) async throws -> Int { name }
  }

  private struct Sum: LedgerWork {
    static let kind = "sum"
    let value: [Int]
    func run(in call: WorkCall<Void>) async throws -> Int { value.reduce(0, +) }
  }

  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger()
  }

  @Test func pendingWorkOfUnknownKindsIsAProblemInEveryState() async throws {
    let ledger = try await lab.open { _, _ in 0 }
    let awaited = try await ledger.createPromise(of: Int.self)
    let due = try await ledger.start(OtherWork())
    let timed = try await ledger.start(OtherWork(), at: .now + .seconds(3_600))
    let waiting = try await awaited.then(OtherWork.self)
    let parked = try await ledger.start(OtherWork())
    _ = try await ledger.parkWork(parked.id)
    _ = try await ledger.start(ScriptedWork())
    let cancelled = try await ledger.start(OtherWork(), lifetime: .untilConsumed)
    _ = try await ledger.cancelWork(cancelled.id)

    let problems = try await ledger.workPreflight()
    #expect(problems.map(\.promise) == [due.id, timed.id, waiting.id, parked.id])
    #expect(problems.allSatisfy { $0.kind == OtherWork.kind })
    #expect(problems.allSatisfy { $0.error.code == .handlerUnregistered })
    #expect(problems.first?.error.message.contains("\(due.id)") == true)
    let other = try await lab.open(other: { $0 })
    #expect(try await other.workPreflight().isEmpty)
  }

  @Test func workUnderAFormerNameIsNoProblem() async throws {
    struct Former: LedgerWork {
      static let kind = ScriptedWork.formerKinds[0]
      func run(in call: WorkCall<Void>) async throws -> Int { 0 }
    }
    let ledger = try await lab.open()
    _ = try await ledger.start(Former())
    #expect(try await ledger.workPreflight().isEmpty)
  }

  @Test func argumentsThatDoNotFitAreAProblem() async throws {
    let ledger = try await lab.open()
    let unfit = try await ledger.start(Numbered(name: 7))
    _ = try await ledger.start(ScriptedWork(name: "fits"))
    let problems = try await ledger.workPreflight()
    #expect(problems.map(\.promise) == [unfit.id])
    #expect(problems.map(\.error.code) == [.argumentMismatch])
    // As an operator is told who looks at parked work.
    try await running(LedgerRunner(ledger)) {
      let parked = try await record(of: unfit.id, in: ledger) { $0.work?.state == .parked }
      #expect(parked.work?.lastError?.message.contains(problems[0].error.message) == true)
    }
  }

  @Test func theTypeOfAnAwaitedValueIsCheckedBeforeThereIsAValue() async throws {
    let ledger = try await lab.open()
    let text = try await ledger.createPromise(of: String.self)
    let number = try await ledger.createPromise(of: Int.self)
    let unfit = try await text.then(ScriptedWork.self)
    let unfitToo = try await text.then(ScriptedWork.self, on: .any)
    _ = try await number.then(ScriptedWork.self)
    _ = try await number.then(ScriptedWork.self, on: .any)
    // Its code receives the error, and never the value.
    _ = try await number.recover(with: ScriptedWork.self)
    #expect(try await ledger.workPreflight().map(\.promise) == [unfit.id, unfitToo.id])
    #expect(
      try await ledger.workPreflight().allSatisfy {
        $0.error.code == .argumentMismatch
          && $0.error.message.contains("the argument value must be of the type int, not string")
      })
    try await text.fulfill("one")
    try await number.fulfill(1)
    #expect(try await ledger.workPreflight().map(\.promise) == [unfit.id, unfitToo.id])
  }

  @Test func aMandatoryValueAndThatOfAJointAreNoProblem() async throws {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(Sum.self)
    let ledger = try await lab.temporary.open(as: .app, configuration: configuration)
    let one = try await ledger.createPromise(of: Int.self)
    let list = try await ledger.createPromise(of: [Int].self)
    _ = try await list.then(Sum.self)
    let joined = try await ledger.all([one]).then(Sum.self)
    let unfit = try await one.then(Sum.self)
    #expect(try await ledger.workPreflight().map(\.promise) == [unfit.id])
    try await one.fulfill(3)
    #expect(try await running(LedgerRunner(ledger)) { try await joined.outcome.get() } == 3)
  }

  @Test func workWithEventsOfANewerBuildIsAProblem() async throws {
    var crafted = try CraftedLedger()
    try crafted.commit([.of(LedgerCreated(formatVersion: 0), on: .numbered(77))])
    let ids = (1...2).map(PromiseID.numbered)
    try crafted.commit(
      ids.map {
        .of(
          PromiseCreated(
            typeTag: "int", source: .work(.init(kind: ScriptedWork.kind, trigger: .now))),
          on: $0.entityID)
      })
    try crafted.commit([.raw(.workAmended, version: 9, on: ids[0].entityID)])
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(ScriptedWork.self) {
      ScriptedWork.Script(code: { _, _ in 0 })
    }
    let ledger = try await Ledger.open(at: crafted.path, as: .app, configuration: configuration)
    let problems = try await ledger.workPreflight()
    #expect(problems.map(\.promise) == [ids[0]])
    #expect(problems.map(\.error.code) == [.unsupportedEvent])
    await ledger.close()
  }
}
