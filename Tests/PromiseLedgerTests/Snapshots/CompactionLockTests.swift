import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10)))
struct CompactionLockTests {
  @Test func onlyTheHolderGivesItBack() throws {
    let temporary = try TemporaryLedger()
    let directory = LedgerDirectory(temporary.path)
    try makeDirectory(temporary.path)
    let (lock, elsewhere) = (CompactionLock(), CompactionLock())
    let (first, second) = (CompactionLock.Turn(), CompactionLock.Turn())
    try lock.take(first, directory)
    try lock.take(first, directory)
    for (other, turn) in [(lock, second), (elsewhere, CompactionLock.Turn())] {
      let error = #expect(throws: LedgerError.self) { try other.take(turn, directory) }
      #expect(error?.code == .compactionBusy)
    }
    lock.release(second)
    #expect(throws: LedgerError.self) { try elsewhere.take(second, directory) }
    // A freeze takes it away, and the next one is not disturbed by the end of the first.
    lock.release()
    try lock.take(second, directory)
    lock.release(first)
    #expect(throws: LedgerError.self) { try elsewhere.take(first, directory) }
    lock.release(second)
    try elsewhere.take(first, directory)
    elsewhere.release()
  }

  private func makeDirectory(_ path: String) throws {
    try LMDBEventStore.openOrCreate(
      LedgerDirectory(path), options: StoreOptions(sizeLimit: 1 << 30),
      newLedgerID: LedgerID(entityID: .numbered(1)), now: .at(1)
    ).close()
  }
}
