import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Code that resolves a promise by itself, and not through its call.
@Suite(.timeLimit(.minutes(10)))
struct DirectResolutionTests {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(_ code: @escaping Scripted.Code) async throws -> Ledger {
    try await temporary.open { registry in
      try registry.register(Scripted.self) { Scripted.Script(code: code) }
    }
  }

  @Test func codeDoesNotResolveItsOwnPromise() async throws {
    let ledger = try await open { scripted, call in
      let promise = try #require(scripted.promise)
      let words = ["\(promise.id)", "\(call.handler.id)", "call.fulfill", "detached"]
      await expectError(.invalidArgument, naming: words) { try await promise.fulfill(1) }
      await expectError(.invalidArgument) { try await promise.reject(ScriptedError(text: "")) }
      await expectError(.invalidArgument) { try await promise.cancel() }
      await expectError(.invalidArgument) {
        try await call.ledger.resolve(promise.id, with: .cancelled(reason: ""))
      }
      // A task of the code is the code's, too.
      let child = Task { try await promise.fulfill(2) }
      await expectError(.invalidArgument) { try await child.value }
      #expect(try await promise.record?.status == .pending)
      try call.fulfill(promise, 3)
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    try await handler.call()
    #expect(try await promise.consume() == 3)
    await ledger.close()
  }

  @Test func codeThatAnotherWaitsForDoesNotResolveTheOthers() async throws {
    let ledger = try await open { scripted, call in
      guard let promise = scripted.promise else { return 0 }
      if let other = scripted.other {
        return try await other.call(as: Scripted.self, ["promise": promise])
      }
      await expectError(.invalidArgument, naming: ["call.fulfill"]) { try await promise.fulfill(1) }
      try call.fulfill(promise, 2)
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let inner = try await ledger.createHandler(Scripted.self).handler
    let outer = try await ledger.createHandler(
      Scripted.self, ["promise": promise, "other": inner]
    ).handler
    #expect(try await outer.call(as: Scripted.self) == 1)
    #expect(try await promise.consume() == 2)
    await ledger.close()
  }

  @Test func otherPromisesAndOtherLedgersAreLeftAlone() async throws {
    let elsewhere = try TemporaryLedger()
    let other = try await elsewhere.open(as: .app)
    let key = try PromiseKey("shared")
    let there = try await other.findOrCreatePromise(key: key, of: Int.self)
    let ledger = try await open { scripted, call in
      let progress = try await call.ledger.createPromise(of: Int.self)
      #expect(try await progress.fulfill(1).isSuccess)
      // It has the id of the argument.
      #expect(there.id == scripted.promise?.id)
      #expect(try await there.fulfill(2).isSuccess)
      return 1
    }
    let promise = try await ledger.findOrCreatePromise(key: key, of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    try await handler.call()
    #expect(try await promise.record?.status == .pending)
    await ledger.close()
    await other.close()
  }

  @Test func detachedTasksAndTasksLeftBehindResolveAtOnce() async throws {
    let gate = Gate()
    let later = Later()
    let ledger = try await open { scripted, _ in
      let promise = try #require(scripted.promise)
      if scripted.name == "detached" {
        #expect(try await Task.detached { try await promise.fulfill(1) }.value.isSuccess)
      } else {
        later.task = Task {
          await gate.pass()
          return try await promise.fulfill(2).isSuccess
        }
      }
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let detached = try await ledger.createHandler(
      Scripted.self, ["promise": promise, "name": "detached"]
    ).handler
    try await detached.call()
    #expect(try await promise.consume() == 1)
    let second = try await ledger.createPromise(of: Int.self)
    try await ledger.createHandler(Scripted.self, ["promise": second]).handler.call()
    gate.open()
    #expect(try await later.task?.value == true)
    #expect(try await second.consume() == 2)
    await ledger.close()
  }

  /// Keeps the task that code leaves behind.
  private final class Later: Sendable {
    private let contents = Mutex<Task<Bool, any Error>?>(nil)
    var task: Task<Bool, any Error>? {
      get { contents.withLock { $0 } }
      set { contents.withLock { $0 = newValue } }
    }
  }
}
