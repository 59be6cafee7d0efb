import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Invalidation code that works on the instance, as the code does.
@Suite(.timeLimit(.minutes(10)))
struct InstanceInvalidationTests {
  private final class Account: Sendable {
    let name: String
    private let contents = Mutex<[String]>([])
    var log: [String] { contents.withLock { $0 } }

    init(_ name: String) { self.name = name }
    func note(_ line: String) { contents.withLock { $0.append(line) } }
  }

  private struct Answer: LedgerInstanceInvalidation {
    struct Invalidation: Codable, Sendable {
      let account: String
      let promise: DurablePromise<Int>
      let why: String
    }

    static let kind = "answer"
    let account: String
    let promise: DurablePromise<Int>

    func instance(in accounts: [Account]) -> Account? {
      accounts.first { $0.name == account }
    }

    func run(on account: Account, in call: HandlerCall<[Account]>) throws {
      account.note("called")
      try call.fulfill(promise, 1)
    }

    static func instance(for parameters: Invalidation, in accounts: [Account]) -> Account? {
      accounts.first { $0.name == parameters.account }
    }

    static func invalidate(
      on account: Account, parameters: Invalidation, in call: HandlerCall<[Account]>
    ) throws {
      account.note("invalidated: \(parameters.why)")
      try call.cancel(parameters.promise, reason: parameters.why)
    }
  }

  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func make(
    _ accounts: [Account]
  ) async throws -> (Ledger, DurableHandler, DurablePromise<Int>) {
    let ledger = try await temporary.open { try $0.register(Answer.self) { accounts } }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(
      Answer.self, ["account": "romeo", "promise": promise]
    ).handler
    return (ledger, handler, promise)
  }

  @Test func itRunsOnTheInstance() async throws {
    let accounts = [Account("juliet"), Account("romeo")]
    let (ledger, handler, promise) = try await make(accounts)
    try await handler.invalidate(["why": "logged out"])
    #expect(accounts.map(\.log) == [[], ["invalidated: logged out"]])
    #expect(try await promise.outcome == .cancelled(reason: "logged out"))
    await ledger.close()
  }

  @Test func withoutTheInstanceItFailsAndRejectsThePromise() async throws {
    let juliet = Account("juliet")
    let (ledger, handler, promise) = try await make([juliet])
    await expectError(.instanceNotFound, naming: ["\(handler.id)", "withdrawn"]) {
      try await handler.invalidate(["why": "logged out"])
    }
    let record = try #require(try await handler.record)
    #expect(record.status == .invalidated && record.openCalls.isEmpty)
    #expect(record.lastFinish?.outcome == .failed)
    guard case .rejected = try await promise.outcome else {
      Issue.record("not rejected")
      return
    }
    #expect(juliet.log.isEmpty)
    await ledger.close()
  }
}
