import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Attempts whose session was ended by a build that does not know work, which did not give them back.
@Suite(.timeLimit(.minutes(5)))
struct LeftWorkTests {
  /// Records the death of a session as such a build does.
  private struct EndAsOlderBuild: Command {
    let id: SessionID

    func decide(in decision: inout Decision) throws(LedgerError) {
      try decision.append(SessionClosed(reason: .died), to: id.entityID)
    }
  }

  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(
    _ code: @escaping @Sendable (Int) async throws -> Int
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = nil
    configuration.pollInterval = .milliseconds(500)
    try configuration.handlers.register(ScriptedWork.self) {
      ScriptedWork.Script { _, call in try await code(call.attempt) }
    }
    return try await temporary.open(configuration: configuration)
  }

  /// Starts work of which a session runs the first attempt, and records the session's end.
  private func leave(in ledger: Ledger, folds: Bool) async throws -> DurablePromise<Int> {
    let dead = try await open { _ in
      try await Task.sleep(for: .seconds(1_000_000))
      return 0
    }
    let promise = try await ledger.start(ScriptedWork())
    let runner = Task { try await LedgerRunner(dead, limits: .init(gracePeriod: .zero)).run() }
    _ = try await record(of: promise.id, in: ledger) {
      if case .running? = $0.work?.state { true } else { false }
    }
    try await ledger.engine.submit(EndAsOlderBuild(id: dead.session))
    if folds { _ = try await ledger.compact(.foldOnly) }
    runner.cancel()
    _ = await runner.result
    await dead.close()
    return promise
  }

  @Test func aSessionThatIsOpenGivesThemBack() async throws {
    let ledger = try await open { $0 }
    let promise = try await leave(in: ledger, folds: false)
    let outcome = try await running(LedgerRunner(ledger)) { try await promise.outcome }
    #expect(outcome == .fulfilled(2))
    await ledger.close()
  }

  @Test(arguments: [false, true])
  func aSessionThatOpensGivesThemBack(folds: Bool) async throws {
    // It gives nothing back itself: it does not poll.
    var configuration = LedgerConfiguration()
    configuration.pollInterval = .seconds(1_000_000)
    let idle = try await temporary.open(configuration: configuration)
    let id = try await leave(in: idle, folds: folds).id
    #expect(try await idle.record(of: id)?.work?.deathCount == 0)
    let ledger = try await open { $0 }
    let given = try #require(try await ledger.record(of: id)?.work)
    #expect(given.deathCount == 1)
    #expect(given.state == .waiting(.now))
    await ledger.close()
    await idle.close()
  }
}
