import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The limits on the children of work, and on their names.
@Suite(.timeLimit(.minutes(5)))
struct ChildLimitTests {
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger()
  }

  private func open(
    maximumChildCount: Int? = nil, _ code: @escaping WorkLedger.Code
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.hooks.maximumChildCount = maximumChildCount
    try configuration.handlers.register(ScriptedWork.self) { ScriptedWork.Script(code: code) }
    return try await lab.temporary.open(as: .app, configuration: configuration)
  }

  /// Runs work without a name until it is parked, and returns its last error. Named work is a child.
  private func reasonForParking(
    maximumChildCount: Int? = nil, _ code: @escaping WorkLedger.Code
  ) async throws -> StoredError {
    let ledger = try await open(maximumChildCount: maximumChildCount) { work, call in
      work.name == nil ? try await code(work, call) : 1
    }
    let once = WorkOptions(retryPolicy: try WorkRetryPolicy(failureLimit: 1))
    let promise = try await ledger.start(ScriptedWork(), options: once)
    let parked = try await running(LedgerRunner(ledger)) {
      try await record(of: promise.id, in: ledger) {
        $0.status != .pending || $0.work?.state == .parked
      }
    }
    #expect(parked.status == .pending)
    return try #require(parked.work?.lastError)
  }

  // MARK: The number

  @Test func theLimitIsThatOfTheDocumentation() {
    let flow = WorkFlow(nil) { .zero }
    #expect(WorkFlow.maximumChildCount == 10_000)
    for number in 1...UInt32(WorkFlow.maximumChildCount) {
      #expect(flow.noteChild(StepIdentity("child", .occurrence(number))))
    }
    // One that exists is no further child.
    #expect(flow.noteChild(StepIdentity("child")))
    #expect(!flow.noteChild(StepIdentity("one more")))
  }

  @Test(arguments: ["work", "promise", "joint"])
  func oneChildTooManyParksTheWork(kind: String) async throws {
    let error = try await reasonForParking(maximumChildCount: 3) { _, call in
      let children = try await call.startAll(
        ScriptedWork.self, [["name": "a"], ["name": "b"]])
      _ = try await call.promise("answer", of: Int.self)
      switch kind {
      case "work": _ = try? await call.start(ScriptedWork.self, ["name": "c"], name: "last")
      case "promise": _ = try? await call.promise("last", of: Int.self)
      default: _ = try? await call.all(children, name: "last")
      }
      // Code that catches the error does nothing more.
      return 0
    }
    #expect(
      error.message
        == "The work has 3 children, joints and promises of its own, the maximum, so it cannot have last too. Let some children start the others, or start them with the ledger, as work of its own."
    )
  }

  @Test func childrenOfEarlierAttemptsAndOnesThatExistAreNotFurtherOnes() async throws {
    let ledger = try await open(maximumChildCount: 3) { work, call in
      guard work.name == nil else { return 1 }
      for key in ["a", "b", "a", "c", "b"] {
        _ = try await call.start(ScriptedWork.self, ["name": key], key: key)
      }
      guard call.attempt == 3 else { throw ScriptedError(text: "again") }
      return call.attempt
    }
    let policy = try WorkRetryPolicy(firstDelay: .zero, longestDelay: .zero)
    let promise = try await ledger.start(
      ScriptedWork(), options: WorkOptions(retryPolicy: policy))
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 3)
  }

  // MARK: The name

  /// Each of these characters takes three bytes in the key of the promise.
  @Test(arguments: ["/", "%"])
  func aNameThatIsTooLongForAKeyParksTheWork(character: String) async throws {
    let name = String(repeating: character, count: 128)
    let error = try await reasonForParking { _, call in
      _ = try? await call.start(
        ScriptedWork.self, ["name": "a"], name: name, key: String(repeating: "k", count: 128))
      return 0
    }
    #expect(
      error.message.hasPrefix(
        "The name and the key of the child \(name)[\(String(repeating: "k", count: 128))] are too long together"
      ))
    #expect(error.message.contains("has 551 bytes"))
  }

  @Test func theLongestUsualNameAndKeyFit() async throws {
    let (name, key) = (String(repeating: "n", count: 128), String(repeating: "k", count: 128))
    let ledger = try await open { work, call in
      guard work.name == nil else { return 5 }
      return try await call.value(
        of: call.start(ScriptedWork.self, ["name": "a"], name: name, key: key))
    }
    let promise = try await ledger.start(ScriptedWork())
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 5)
  }
}
