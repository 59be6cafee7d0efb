import LedgerModel
import LedgerModelTestSupport
import LedgerRuntimeTesting
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// The stores of walks.
package enum WalkStores {
  /// Makes subjects with new ledgers in LMDB, in a directory in memory, if there is one.
  package static func lmdb(_ form: StoreSubject.Form) throws -> StoreSubject {
    let directory = try TemporaryDirectory(in: Scratch.path)
    let place = LedgerDirectory(directory.path + "/ledger")
    let options = StoreOptions(sizeLimit: 1 << 28)
    return try StoreSubject(form) {
      try withExtendedLifetime(directory) {
        try LMDBEventStore.openOrCreate(
          place, options: options, newLedgerID: LedgerID(entityID: .numbered(77)), now: .at(0))
      }
    }
  }

  /// Makes subjects with new ledgers in memory.
  package static func inMemory(_ form: StoreSubject.Form) throws -> StoreSubject {
    let store = InMemoryEventStore(ledgerID: LedgerID(entityID: .numbered(77)))
    return try StoreSubject(form) { store }
  }
}
