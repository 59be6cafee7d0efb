import PromiseLedgerTesting
import Testing

@testable import PromiseLedger

/// Every change of a fold is read back: what is missing, altered or left is noticed in every table.
@Suite(.serialized) struct ReadBackTests {
  /// What the first fold of a random ledger puts, and then takes away again in part.
  private func changes(_ store: any EventStore, seed: UInt64) throws -> [TableChange] {
    _ = try CompactedStore(store, seed: seed, groupCount: 10)
    var slice = try FoldSlice.next(
      of: store, from: try SnapshotReader(store), through: try store.head(), limit: 30
    ).edit
      .sortedChanges
    var summary = SnapshotSummary()
    summary.position = Position(rawValue: 30)
    _ = try store.changeSnapshot(
      slice, from: SnapshotSummary(), to: summary, patience: Patience(.seconds(5)))
    // So that there is a deletion, too.
    slice.append(TableChange(.tombstones, EntityID.numbered(77).bytes, nil))
    return slice
  }

  @Test(arguments: StoreKind.allCases)
  func aChangeThatIsNotThereIsNoticed(kind: StoreKind) throws {
    let store = try kind.make().store
    let changes = try changes(store, seed: 5)
    let folder = Folder()
    try folder.readBack(changes, of: store, at: store.snapshotSummary().position)
    #expect(Set(changes.map(\.table)).isSuperset(of: [.entities, .open, .tombstones]))
    for change in changes {
      let wrong: [[UInt8]?] =
        change.value.map { [nil, $0 + [0], $0.map { _ in 0xEE } + [1]] } ?? [[]]
      for value in wrong {
        try write(value, in: change, store)
        #expect {
          try folder.readBack(changes, of: store, at: store.snapshotSummary().position)
        } throws: { error in
          let error = error as? LedgerError
          return error?.code == .corrupt
            && error?.message.contains("\(change.subject)") == true
        }
      }
      try write(change.value, in: change, store)
    }
    try folder.readBack(changes, of: store, at: store.snapshotSummary().position)
  }

  /// Nobody moves a snapshot back: what was written is not there.
  @Test func aSnapshotThatIsNotWhereItWasPutIsDamaged() throws {
    let store = try StoreKind.inMemory.make().store
    let changes = try changes(store, seed: 5)
    let position = try store.snapshotSummary().position
    #expect {
      try Folder().readBack(changes, of: store, at: position.advanced(by: 1))
    } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
    #expect {
      try Folder().readBack(changes, of: store, at: Position(rawValue: position.rawValue - 1))
    } throws: {
      ($0 as? LedgerError)?.code == .snapshotMoved
    }
  }

  private func write(
    _ value: [UInt8]?, in change: TableChange, _ store: any EventStore
  ) throws {
    let summary = try store.snapshotSummary()
    _ = try store.changeSnapshot(
      [TableChange(change.table, change.key, value)], from: summary, to: summary,
      patience: Patience(.seconds(5)))
  }

  @Test func aRecordThatWasMadeWrongIsNoticed() throws {
    let store = try StoreKind.inMemory.make().store
    var changes = try changes(store, seed: 6)
    let place = try #require(changes.firstIndex { $0.table == .entities })
    let record = changes[place]
    var bytes = try #require(record.value)
    bytes[bytes.count - 1] ^= 1
    changes[place] = TableChange(.entities, record.key, bytes)
    try write(bytes, in: record, store)
    #expect {
      try Folder().readBack(changes, of: store, at: store.snapshotSummary().position)
    } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
  }

  @Test func foldingStopsAtADamagedRecordAndNamesIt() throws {
    let made = try StoreKind.lmdb.make()
    let subject = try CompactedStore(made.store, seed: 9, groupCount: 30)
    var folder = Folder()
    _ = try folder.step(of: made.store, through: Position(rawValue: 40), limit: 40)
    // One with an event that is not folded yet.
    let whole = try subject.replayed()
    let reader = try SnapshotReader(made.store)
    let victim = try #require(
      try whole.promises.all.first {
        try $0.lastPosition > reader.position && reader.entity($0.id.entityID) != nil
      }
    ).id.entityID
    _ = try made.store.changeSnapshot(
      [TableChange(.entities, victim.bytes, [UInt8](repeating: 1, count: 90))],
      from: reader.summary, to: reader.summary, patience: Patience(.seconds(5)))
    var problem: LedgerError?
    while let step = try folder.step(of: made.store, through: subject.state.position, limit: 50) {
      problem = step.problem
      if problem != nil { break }
    }
    #expect(problem?.code == .corrupt)
    #expect(problem?.message.contains("\(victim)") == true)
  }
}
