package import LedgerModel
import LedgerRuntimeTesting
package import PromiseLedgerPostgreSQL
import Synchronization

/// A session that appends events to a store without an engine, and remembers which ones were acknowledged.
package final class PostgreSQLWriter {
  package let store: any EventStore
  private let session: SessionID
  private var number: UInt64 = 0

  /// The commits that were acknowledged, by the positions of their events.
  package private(set) var acknowledged: [Position: CommitID] = [:]

  private static let count = Atomic<UInt64>(0)

  package init(_ place: PostgreSQLLedger, session: SessionID? = nil) throws {
    self.session =
      session
      ?? SessionID(
        entityID: EntityID(
          high: 0x900, low: Self.count.wrappingAdd(1, ordering: .relaxed).newValue))
    store = try place.openStore(
      LedgerMetadata(
        ledgerID: LedgerID(entityID: EntityID(high: 0, low: 1)),
        createdAt: Timestamp(nanosecondsSinceEpoch: 0)))
  }

  deinit { store.close() }

  /// The number of the next commit.
  package var nextNumber: UInt64 { number + 1 }

  /// Appends events in a commit that has begun.
  package func tryToAppend(
    _ count: Int = 1, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    number += 1
    let commit = CommitID(session: session, number: number)
    let outcome = try store.append(StoreSubject.batch(count), commit, after: base)
    if case .appended(let end) = outcome {
      for index in 1...count { acknowledged[base.advanced(by: index)] = commit }
      assert(end == base.advanced(by: count))
    }
    return outcome
  }

  /// Appends an event.
  package func append() throws(LedgerError) {
    let turn = try store.beginCommit(Patience(.seconds(30)))
    defer { store.endCommit() }
    var base = turn.head
    while case .headMoved(let head) = try tryToAppend(after: base) { base = head }
  }

  /// Confirms the head, as a commit without events does.
  package func confirm() throws(LedgerError) {
    var base = try store.beginCommit(Patience(.seconds(30))).head
    defer { store.endCommit() }
    while let head = try store.newerHead(than: base) { base = head }
  }
}
