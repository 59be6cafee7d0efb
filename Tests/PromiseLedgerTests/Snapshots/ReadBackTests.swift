import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Every change of a fold is read back: missing, altered and left-over entries are noticed in every
/// table.
@Suite(.timeLimit(.minutes(10))) struct ReadBackTests {
  /// The entries that the first fold of a random ledger puts, and then partly removes again.
  private func changes(_ store: any EventStore, seed: UInt64) throws -> [TableChange] {
    _ = try CompactedStore(store, seed: seed, groupCount: 10)
    var slice = try FoldSlice.next(
      of: store, from: try SnapshotReader(store), through: try store.head(), limit: 30
    ).edit
      .sortedChanges
    var summary = SnapshotSummary()
    summary.position = Position(rawValue: 30)
    try store.damage(slice, summary: summary)
    // So that there is a deletion, too.
    slice.append(TableChange(.tombstones, EntityID.numbered(77).bytes, nil))
    return slice
  }

  @Test(arguments: StoreMaker.all)
  func aChangeThatIsNotThereIsNoticed(maker: StoreMaker) throws {
    let store = try maker.make().store
    let changes = try changes(store, seed: 5)
    let readBack = ReadBack(changes, at: try store.snapshotSummary().position)
    try readBack.check(in: store)
    #expect(Set(changes.map(\.table)).isSuperset(of: [.entities, .open, .tombstones]))
    for change in changes {
      let wrong: [[UInt8]?] =
        change.value.map { [nil, $0 + [0], $0.map { _ in 0xEE } + [1]] } ?? [[]]
      for value in wrong {
        try write(value, in: change, store)
        #expect {
          try readBack.check(in: store)
        } throws: { error in
          let error = error as? LedgerError
          return error?.code == .corrupt
            && error?.message.contains("\(change.subject)") == true
        }
      }
      try write(change.value, in: change, store)
    }
    try readBack.check(in: store)
  }

  /// A snapshot never moves back: here the written changes are missing.
  @Test func aSnapshotThatIsNotWhereItWasPutIsDamaged() throws {
    let store = try StoreMaker.inMemory.make().store
    let changes = try changes(store, seed: 5)
    let position = try store.snapshotSummary().position
    #expect {
      try ReadBack(changes, at: position.advanced(by: 1)).check(in: store)
    } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
    #expect {
      try ReadBack(changes, at: Position(rawValue: position.rawValue - 1)).check(in: store)
    } throws: {
      ($0 as? LedgerError)?.lookAgain == .snapshotMoved
    }
  }

  private func write(
    _ value: [UInt8]?, in change: TableChange, _ store: any EventStore
  ) throws {
    try store.damage([TableChange(change.table, change.key, value)])
  }

  @Test func aRecordThatWasMadeWrongIsNoticed() throws {
    let store = try StoreMaker.inMemory.make().store
    var changes = try changes(store, seed: 6)
    let place = try #require(changes.firstIndex { $0.table == .entities })
    let record = changes[place]
    var bytes = try #require(record.value)
    bytes[bytes.count - 1] ^= 1
    changes[place] = TableChange(.entities, record.key, bytes)
    try write(bytes, in: record, store)
    #expect {
      try ReadBack(changes, at: store.snapshotSummary().position).check(in: store)
    } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
  }

  /// The reader that finds damage that came between a step and its reading back.
  enum Finder: CaseIterable {
    case nextStep, lastStep, mark, rest
  }

  /// - Parameter limit: The number of events: few, or so many that another thread reads them.
  @Test(arguments: [20, 200], Finder.allCases)
  func aStepIsReadBackBeforeAnythingElseIsWritten(
    limit: Int, finder: Finder
  ) async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    for _ in 0...2 * limit { _ = try await ledger.createPromise(of: String.self) }
    let store = try await ledger.engine.openStore()
    let end = Position(rawValue: UInt64(2 * limit))
    var folder = Folder()
    _ = try folder.step(of: store, through: end, limit: limit)
    let edit = try FoldSlice.next(
      of: store, from: SnapshotReader(store), through: end, limit: limit
    ).edit
    _ = try folder.step(of: store, through: end, limit: limit)
    let summary = try store.snapshotSummary()
    #expect(summary.position == end && summary.readBackThrough.rawValue == UInt64(limit))
    let victim = try #require(edit.sortedChanges.last { $0.table == .entities && $0.value != nil })
    try write([UInt8](repeating: 1, count: 90), in: victim, store)
    let error = #expect(throws: LedgerError.self) {
      switch finder {
      case .nextStep: _ = try folder.step(of: store, through: end.advanced(by: 1), limit: limit)
      case .lastStep: _ = try folder.step(of: store, through: end, limit: limit)
      case .mark: try folder.markReadBack(of: store)
      case .rest: try folder.readBack(in: store)
      }
    }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("\(victim.subject)") == true)
    #expect(try store.snapshotSummary() == summary)
    await ledger.close()
  }

  @Test func foldingStopsAtADamagedRecordAndNamesIt() throws {
    let made = try StoreMaker.lmdb.make()
    let subject = try CompactedStore(made.store, seed: 9, groupCount: 120)
    var folder = Folder()
    _ = try folder.step(of: made.store, through: Position(rawValue: 40), limit: 40)
    try folder.markReadBack(of: made.store)
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
