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
}
