import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// A reader never learns that the snapshot moved while it looked: it looks again.
@Suite(.timeLimit(.minutes(10))) struct LooksBesideFoldsTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func aLookBesideAFoldBeginsAnew(seed: UInt64) throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: seed, groupCount: 25)
    let head = try subject.store.head()
    try subject.fold(through: Position(rawValue: head.rawValue / 2))
    let replica = Replica(try .tail(of: subject.store))
    try subject.fold()
    var looks = 0
    let sessions = try replica.lookAtCopy(with: subject.store) { (state) throws(LedgerError) in
      looks += 1
      return try state.openSessions()
    }
    #expect(try sessions == subject.replayed().openSessions())
    #expect(looks == 2)
  }

  /// A session that freezes gives the lock of compaction back while its last step may still be
  /// made.
  ///
  /// - Parameter isBefore: Whether the other session makes its step before this one, or before this
  ///   one has read back its changes.
  @Test(arguments: [true, false])
  func aCompactionBesideAStepOfAnotherGoesOn(isBefore: Bool) async throws {
    let store = WatchedStore()
    var configuration = CompactionSample.configuration()
    configuration.hooks.sliceEventCount = 8
    let ledger = try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: configuration)
    _ = try await CompactionSample.fill(ledger, 24)
    let step: @Sendable () -> Void = {
      var other = Folder()
      let made = try? other.step(of: store.store, through: store.store.head(), limit: 5)
      #expect(made?.eventCount == 5)
    }
    if isBefore { store.onChange = step } else { store.afterChange = step }
    let report = try await ledger.compact(CompactionSample.events)
    #expect(report.deletedEvents > 24)
    _ = try SnapshotAudit(store)
    await ledger.close()
  }

  @Test func sessionsOpenWhileAnotherFolds() async throws {
    let temporary = try TemporaryLedger()
    var configuration = CompactionSample.configuration()
    configuration.hooks.sliceEventCount = 2
    let folding = try await temporary.open(configuration: configuration)
    _ = try await CompactionSample.fill(folding, 100)
    let compaction = Task {
      while !Task.isCancelled { _ = try await folding.compact(.foldOnly) }
    }
    for number in 0..<60 {
      let other = try await temporary.open(
        configuration: CompactionSample.configuration("other \(number % 3)"))
      _ = try await other.createPromise(of: Void.self)
      await other.close()
    }
    compaction.cancel()
    _ = await compaction.result
    await folding.close()
  }
}
