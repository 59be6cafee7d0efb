import LedgerLMDB
import PromiseLedgerTesting

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

extension EventStore {
  /// Changes the tables of a snapshot behind the store's back, as damage does.
  ///
  /// - Parameter summary: The store's summary of them afterwards; by default the old one.
  func damage(_ changes: [TableChange], summary: SnapshotSummary? = nil) throws {
    let old = try snapshotSummary()
    guard let store = self as? LMDBEventStore else {
      _ = try changeSnapshot(
        changes, from: old, to: summary ?? old, patience: Patience(.seconds(5)))
      return
    }
    let environment = try store.environment
    let tables = LedgerTables(environment)
    try environment.write { transaction in
      for change in changes {
        guard let table = tables[change.table] else { throw LedgerError.storeClosed }
        if let value = change.value {
          try transaction.put(value.span, forKey: change.key.span, in: table)
        } else {
          try transaction.delete(forKey: change.key.span, in: table)
        }
      }
      guard let summary, let meta = tables[.meta] else { return }
      let key = SnapshotSummary.key
      try transaction.put(summary.encoded.span, forKey: key.span, in: meta)
    }
  }
}
