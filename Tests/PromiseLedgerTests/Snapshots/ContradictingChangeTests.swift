import LedgerModelTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A change of the snapshot after which no commit and no opening were possible is not made.
@Suite(.timeLimit(.minutes(10)))
struct ContradictingChangeTests {
  private let subject: StoreUnderTest
  private let state: LedgerState

  init() throws {
    (subject, state) = try SnapshotStoreTests.filled(.lmdb, seed: 4)
  }

  private func expectCorrupt(_ body: () throws -> Void) {
    let error = #expect(throws: LedgerError.self) { try body() }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("but the snapshot counts") == true)
  }

  @Test(arguments: [SnapshotTable.entities, .open, .tombstones])
  func aChangeThatDoesNotFitItsCountsIsNotMade(table: SnapshotTable) throws {
    let summary = try subject.store.snapshotSummary()
    var new = summary
    new.readBackThrough = new.position
    let key = SnapshotRecord.key(.numbered(999))
    expectCorrupt {
      _ = try subject.store.changeSnapshot(
        [TableChange(table, key, [1])], from: summary, to: new, patience: Patience(.seconds(5)))
    }
    #expect(try subject.store.snapshotSummary() == summary)
    #expect(try subject.append(1) == state.position.advanced(by: 1))
  }

  @Test func aSnapshotThatContradictsItselfIsNotChanged() throws {
    let entity = try #require(state.overlaid.first { $0.isOpen })
    let entry = try #require(entity.openEntries.first)
    try subject.store.damage([TableChange(.open, entry.key, nil)])
    let summary = try subject.store.snapshotSummary()
    var new = summary
    new.counts.lists.subtract(entry)
    // Afterwards all would agree, and the entry be lost for good.
    expectCorrupt {
      _ = try subject.store.changeSnapshot(
        [], from: summary, to: new, patience: Patience(.seconds(5)))
    }
    #expect(try subject.store.snapshotSummary() == summary)
  }
}
