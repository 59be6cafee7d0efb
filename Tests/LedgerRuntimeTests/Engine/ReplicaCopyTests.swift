import LedgerModelTestSupport
import PromiseLedgerTestSupport
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A walk through a list of the snapshot does not keep a writer from the replica.
@Suite(.timeLimit(.minutes(10))) struct ReplicaCopyTests {
  private let store = WatchedStore()

  /// Runs `body` and looks at the replica at the start of each walk through a list: a thread that
  /// holds the replica already crashes then.
  private func looking(
    at list: OpenList, of ledger: Ledger, _ body: (Ledger) async throws -> Void
  ) async throws {
    let walks = Counter()
    let replica = ledger.engine.replica
    let prefix = list.prefix
    store.onScan = { start in
      guard start.starts(with: prefix) else { return }
      _ = replica.position
      walks.add()
    }
    try await body(ledger)
    store.onScan = nil
    #expect(walks.count > 0)
  }

  @Test func listsAreWalkedWithoutTheReplica() async throws {
    let ledger = try await Ledger.open(
      { [store] () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 24)
    try await ledger.compact(CompactionSample.events)
    for list in [OpenList.closed, .promises, .handlers] {
      try await looking(at: list, of: ledger) {
        let plan = try await $0.plan(CompactionSample.everything)
        #expect(plan.recordsToRemove > 0)
      }
    }
    try await looking(at: .promises, of: ledger) { _ = try await $0.stalePromises() }
    try await looking(at: .promises, of: ledger) { _ = try await $0.unconsumedPromises() }
    try await looking(at: .handlers, of: ledger) { _ = try await $0.handlers() }
    try await looking(at: .handlers, of: ledger) { _ = try await $0.orphanedHandlers() }
    try await looking(at: .handlers, of: ledger) { _ = try await $0.preflight() }
    try await looking(at: .handlers, of: ledger) { _ = try await $0.unfinishedCalls() }
    try await looking(at: .scope("room"), of: ledger) {
      _ = try await $0.invalidateAll(scope: "room")
    }
    await ledger.close()
  }
}

/// Counts events on any thread.
private final class Counter: Sendable {
  private let value = Mutex(0)
  var count: Int { value.withLock { $0 } }
  func add() { value.withLock { $0 += 1 } }
}
