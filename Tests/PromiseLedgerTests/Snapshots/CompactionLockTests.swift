import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10)))
struct CompactionLockTests {
  @Test(arguments: StoreMaker.all) func onlyTheHolderGivesItBack(maker: StoreMaker) throws {
    let subject = try maker.make()
    let store = subject.store
    let (lock, elsewhere) = (CompactionLock(), CompactionLock())
    let (first, second) = (CompactionLock.Turn(), CompactionLock.Turn())
    try lock.take(first, store)
    try lock.take(first, store)
    for (other, turn) in [(lock, second), (elsewhere, CompactionLock.Turn())] {
      let error = #expect(throws: LedgerError.self) { try other.take(turn, store) }
      #expect(error?.code == .compactionBusy)
    }
    lock.release(second)
    #expect(throws: LedgerError.self) { try elsewhere.take(second, store) }
    // A freeze takes it away, and the next one is not disturbed by the end of the first.
    lock.release()
    try lock.take(second, store)
    lock.release(first)
    #expect(throws: LedgerError.self) { try elsewhere.take(first, store) }
    lock.release(second)
    try elsewhere.take(first, store)
    elsewhere.release()
  }

  /// The system ends a suspended app that holds a lock on a shared file.
  @Test func aFrozenSessionDoesNotHoldIt() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open()
    let turn = CompactionTurn(engine: app.engine)
    try await turn.step { (_) throws(LedgerError) in }
    let helper = try await temporary.open(as: .appExtension)
    let error = await #expect(throws: LedgerError.self) {
      try await helper.compact(CompactionSample.everything)
    }
    #expect(error?.code == .compactionBusy)
    // Between two steps of a compaction.
    try await app.freeze()
    let report = try await helper.compact(CompactionSample.everything)
    #expect(report.foldedEvents > 0)
    try await app.unfreeze()
    await app.close()
    await helper.close()
  }
}
