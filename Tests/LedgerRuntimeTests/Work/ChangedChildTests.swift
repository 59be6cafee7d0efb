import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerRuntime

/// Children whose kind, name or type another build has changed.
@Suite(.timeLimit(.minutes(5)))
struct ChangedChildTests {
  /// The child of the first build, whose kind ``ScriptedWork`` has as a former name.
  private struct Task: LedgerWork {
    static let kind = "scripted-task"
    let name: String?

    func run(in call: WorkCall<Void>) async throws -> Int { 0 }
  }

  /// A child with the same type of value.
  private struct OtherTask: LedgerWork {
    static let kind = "other-task"
    let name: String?

    func run(in call: WorkCall<Void>) async throws -> Int { 0 }
  }

  private typealias Call = WorkCall<ScriptedWork.Script>

  private let clock = ManualLedgerClock()
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger(clock: clock)
  }

  private func open(_ parent: @escaping @Sendable (Call) async throws -> Int) async throws -> Ledger
  {
    try await lab.open { work, call in work.name == nil ? try await parent(call) : 5 }
  }

  /// Runs work in a first build until it waits.
  private func begin(
    _ parent: @escaping @Sendable (Call) async throws -> Void
  ) async throws -> PromiseID {
    let ledger = try await open { call in
      try await parent(call)
      try await call.sleep(for: .seconds(3_600))
      return 0
    }
    let promise = try await ledger.start(ScriptedWork())
    _ = try await running(LedgerRunner(ledger)) {
      try await record(of: promise.id, in: ledger) { $0.work?.attemptCount == 1 && !$0.isRunning }
    }
    await ledger.close()
    clock.advance(by: .seconds(3_600))
    return promise.id
  }

  private func promiseCount() throws -> Int {
    try BlockingInspector(at: lab.temporary.path).allEvents()
      .count { $0.kind == PromiseCreated.kind }
  }

  @Test(arguments: ["kind", "name", "promise"])
  func aRenamedChildIsFoundAgain(what: String) async throws {
    let id = try await begin { call in
      switch what {
      case "kind": _ = try await call.start(Task.self, ["name": "child"], key: "o1")
      case "name": _ = try await call.start(ScriptedWork.self, ["name": "child"], name: "old")
      default: _ = try await call.promise("old", of: Int.self)
      }
    }
    let ledger = try await open { call in
      let child =
        switch what {
        case "kind": try await call.start(ScriptedWork.self, ["name": "child"], key: "o1")
        case "name":
          try await call.start(
            ScriptedWork.self, ["name": "child"], name: "new", formerly: ["older", "old"])
        default: try await call.promise("new", formerly: ["old"], of: Int.self)
        }
      if what == "promise" { _ = try await child.fulfill(5) }
      return try await call.value(of: child)
    }
    let promise = try ledger.promise(id: id, of: Int.self)
    let outcome = try await running(LedgerRunner(ledger)) { try await promise.outcome }
    #expect(outcome == .fulfilled(5))
    await ledger.close()
    #expect(try promiseCount() == 2)
  }

  @Test func aStepMayHaveTheFormerNameOfAKind() async throws {
    let ledger = try await open { call in
      try await call.step("scripted-task") { _ in }
      return try await call.value(of: call.start(ScriptedWork.self, ["name": "child"]))
    }
    let promise = try await ledger.start(ScriptedWork())
    let end = try await running(LedgerRunner(ledger)) {
      try await record(of: promise.id, in: ledger) {
        $0.status != .pending || $0.work?.state == .parked
      }
    }
    #expect(end.outcomeKind == .fulfilled)
  }

  @Test(arguments: [("type", "string"), ("kind", "another kind of child")])
  func anotherChildParksTheWork(what: String, reason: String) async throws {
    let id = try await begin { call in
      if what == "type" {
        _ = try await call.promise("child", of: Int.self)
      } else {
        _ = try await call.start(Task.self, ["name": "child"], name: "child")
      }
    }
    let ledger = try await open { call in
      if what == "type" {
        _ = try await call.promise("child", of: String.self)
      } else {
        _ = try await call.start(OtherTask.self, ["name": "child"], name: "child")
      }
      return 1
    }
    let parked = try await running(LedgerRunner(ledger)) {
      try await record(of: id, in: ledger) { $0.work?.state == .parked }
    }
    #expect(parked.work?.lastError?.message.contains(reason) == true)
    await ledger.close()
  }
}

extension PromiseRecord {
  fileprivate var isRunning: Bool {
    if case .running? = work?.state { true } else { false }
  }
}
