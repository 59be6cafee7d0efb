import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Waiting for the end of a freeze.
@Suite(.timeLimit(.minutes(5))) struct SessionPhaseTests {
  @Test(arguments: [0, 1, 10, 100])
  func aCancelledTaskStopsWaiting(yieldCount: Int) async throws {
    let phase = SessionPhase(nil)
    let cancelled = Task { try await phase.waitWhileFrozen() }
    let other = Task { try await phase.waitWhileFrozen() }
    for _ in 0..<yieldCount { await Task.yield() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    phase.change(to: .open(InMemoryEventStore()))
    try await other.value
  }

  @Test func aCallThatWaitsWhileFrozenCanBeCancelled() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let promise = try await ledger.createPromise(of: Int.self)
    let head = try await ledger.catchUp()
    try await ledger.freeze()
    let reading = Task { try await promise.record }
    let waiting = Task { try await promise.consume() }
    let writing = Task { try await ledger.createPromise(of: Int.self).id }
    for _ in 0..<100 { await Task.yield() }
    reading.cancel()
    waiting.cancel()
    writing.cancel()
    await #expect(throws: CancellationError.self) { _ = try await reading.value }
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    await #expect(throws: CancellationError.self) { _ = try await writing.value }
    try await ledger.unfreeze()
    // Frozen, unfrozen, and nothing created.
    #expect(try await ledger.catchUp() == head.advanced(by: 2))
    await ledger.close()
  }
}
