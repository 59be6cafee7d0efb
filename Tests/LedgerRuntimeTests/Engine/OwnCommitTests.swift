import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerRuntime
@testable import PromiseLedger

/// What a session's own commits tell its listener, which they do not wake for nothing.
@Suite(.timeLimit(.minutes(1))) struct OwnCommitTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Opens a session that looks by itself once in an hour.
  private func open(as role: SessionRole = .app) async throws -> Ledger {
    var configuration = CompactionSample.configuration()
    configuration.pollInterval = .seconds(3_600)
    return try await Ledger.open(
      at: directory.path + "/ledger", as: role, configuration: configuration)
  }

  /// The listener sleeps without a deadline when the promise with one is created.
  @Test func aDeadlineThatTheSessionItselfSetsIsKept() async throws {
    let ledger = try await open()
    for _ in 0..<10 { _ = try await ledger.createPromise(of: Int.self) }
    let promise = try await ledger.createPromise(
      of: Int.self, deadline: .now + .milliseconds(20))
    #expect(try await promise.outcome == .timedOut)
    await ledger.close()
  }

  /// At the first deadline, the listener has the writer time out the promise, and must then wait for the second. And
  /// one commit does not time out all the others.
  @Test func deadlinesThatFollowOneAnotherAreKept() async throws {
    let ledger = try await open()
    let first = try await ledger.createPromise(of: Int.self, deadline: .now + .milliseconds(20))
    let deadline = Timestamp.now + .milliseconds(200)
    let others = try await ledger.batch { batch throws(LedgerError) in
      try (0..<2 * TimeOutDuePromises.limit).map { _ throws(LedgerError) in
        try batch.createPromise(of: Int.self, deadline: deadline)
      }
    }
    for promise in [first] + others { #expect(try await promise.outcome == .timedOut) }
    await ledger.close()
  }

  /// Nothing but the doorbell tells of it in an hour.
  @Test(arguments: [true, false])
  func aCommitOfAnotherSessionIsHeardInTime(isOfSameSession: Bool) async throws {
    let ledger = try await open()
    let other = try await open(as: .appExtension)
    for _ in 0..<10 {
      let promise = try await ledger.createPromise(of: Int.self)
      let there = try (isOfSameSession ? ledger : other).promise(id: promise.id, of: Int.self)
      async let outcome = promise.outcome
      try await there.fulfill(7)
      #expect(try await outcome == .fulfilled(7))
    }
    await other.close()
    await ledger.close()
  }
}
