import LedgerLMDB
import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Snapshots of random ledgers in every store, beside the rules of `StoreContract`.
@Suite(.timeLimit(.minutes(10))) struct SnapshotStoreTests {
  /// A store with the snapshot of a random ledger, and the state from which it was made.
  static func filled(
    _ maker: StoreMaker, seed: UInt64
  ) throws -> (subject: StoreUnderTest, state: LedgerState) {
    let subject = try maker.make()
    var writer = RandomLedger(seed: seed)
    for _ in 0..<30 { writer.writeGroup() }
    try subject.append(Int(writer.ledger.state.position.rawValue))
    var edit = SnapshotEdit(SnapshotSummary())
    for entity in writer.ledger.state.overlaid { try edit.put(entity, replacing: nil) }
    edit.new.position = writer.ledger.state.position
    try subject.store.apply(edit, patience: Patience(.seconds(5)))
    return (subject, writer.ledger.state)
  }

  @Test(arguments: StoreMaker.all(seeds: 5))
  func everyEntityComesBackAsItWasPut(maker: StoreMaker, seed: UInt64) throws {
    let (subject, state) = try Self.filled(maker, seed: seed)
    let reader = try SnapshotReader(subject.store)
    #expect(reader.position == state.position)
    var counts = (promises: UInt64(0), sessions: UInt64(0), handlers: UInt64(0))
    for entity in state.overlaid {
      #expect(try reader.entity(entity.id) == entity, "\(entity.id)")
      switch entity.kind {
      case .promise: counts.promises += 1
      case .session: counts.sessions += 1
      case .handler: counts.handlers += 1
      case nil: Issue.record("\(entity.id) is of a later version")
      }
    }
    let promises = reader.summary.counts.promises + reader.summary.counts.extendedPromises
    #expect(promises == counts.promises)
    #expect(reader.summary.counts.sessions == counts.sessions)
    #expect(reader.summary.counts.handlers == counts.handlers)
    #expect(try reader.entity(.numbered(99)) == nil)
  }

  @Test(arguments: StoreMaker.all(seeds: 5))
  func theListsAreThoseOfTheEntities(maker: StoreMaker, seed: UInt64) throws {
    let (subject, state) = try Self.filled(maker, seed: seed)
    let reader = try SnapshotReader(subject.store)
    #expect(
      try reader.entries(of: .promises).map(\.id)
        == (try state.openPromises().map(\.id.entityID)))
    #expect(
      try reader.entries(of: .work).map(\.id)
        == (try state.openComputedPromises().map(\.id.entityID)))
    #expect(
      try reader.entries(of: .handlers).map(\.id) == state.handlers.open.map(\.id.entityID))
    #expect(
      try reader.entries(of: .deadlines).map(\.id)
        == (try state.due(at: .at(.max), limit: .max)).map(\.entityID))
    #expect(
      Set(try reader.entries(of: .scope("room")).map(\.id))
        == Set(state.handlers.active(inScope: "room").map(\.id.entityID)))
    for number in 1...4 {
      let session = SessionID.numbered(number)
      let running = state.handlers.all.filter { handler in
        handler.openCalls.values.contains { $0.runningSession == session }
      }
      #expect(
        Set(try reader.entries(of: .running(session)).map(\.id))
          == Set(
            running.map(\.id.entityID)
              + (try state.runningWork(of: session).map(\.id.entityID))))
    }
    let closed = state.overlaid.filter { !$0.isOpen }.sorted { $0.lastPosition < $1.lastPosition }
    let entries = try reader.entries(of: .closed)
    #expect(entries.map(\.id) == closed.map(\.id))
    #expect(entries.map(\.time) == closed.map(\.lastTime))
    #expect(entries.map(\.position) == closed.map(\.lastPosition))
  }

  @Test(arguments: StoreMaker.all)
  func aRecordThatShrinksLeavesNoPiece(maker: StoreMaker) throws {
    let (subject, state) = try Self.filled(maker, seed: 2)
    let patience = Patience(.seconds(5))
    var edit = SnapshotEdit(try subject.store.snapshotSummary())
    let reader = try SnapshotReader(subject.store)
    for entity in state.overlaid {
      let stored = try #require(try reader.records([entity.id]).first ?? nil)
      try edit.remove(entity.id, stored)
    }
    try subject.store.apply(edit, patience: patience)
    let summary = try subject.store.snapshotSummary()
    #expect(summary.counts.records == 0)
    #expect(summary.counts.bytes == 0)
    #expect(summary.counts.lists.total == 0)
    var tombstones = StateDigest.empty
    for entity in state.overlaid where entity.isKeyed { tombstones.addTombstone(entity.id) }
    #expect(summary.stateDigest == tombstones)
    let after = try SnapshotReader(subject.store)
    for entity in state.overlaid {
      #expect(try after.entity(entity.id) == nil, "\(entity.id)")
      #expect(try after.isTombstone(entity.id) == entity.isKeyed, "\(entity.id)")
    }
    try subject.store.readSnapshot { (tables) throws(LedgerError) in
      for table in [SnapshotTable.entities, .parts, .open] {
        try tables.scan(table, from: [0]) { (key, _) throws(LedgerError) in
          Issue.record("\(table) still has \(key.hex)")
          return true
        }
      }
    }
  }

  @Test func aDamagedRecordIsCorruptAndItsNeighboursAreRead() throws {
    let (subject, state) = try Self.filled(.lmdb, seed: 4)
    let damaged = try #require(state.promises.all.first)
    let key = damaged.id.entityID.bytes
    let summary = try subject.store.snapshotSummary()
    _ = try subject.store.changeSnapshot(
      [TableChange(.entities, key, [UInt8](repeating: 1, count: 90))], from: summary, to: summary,
      patience: Patience(.seconds(5)))
    let reader = try SnapshotReader(subject.store)
    #expect { try reader.entity(damaged.id.entityID) } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
    for promise in state.promises.all.dropFirst() {
      #expect(try reader.entity(promise.id.entityID)?.promise == promise, "\(promise.id)")
    }
  }

  @Test func aLedgerWithoutTheTablesIsInspectedAndOpened() async throws {
    // An environment with the first tables only, as an older build made it.
    let old = try TemporaryLedger()
    try await old.open().close()
    try makeOld(LedgerDirectory(old.path))

    #expect(try BlockingInspector(at: old.path).head == .start)
    let ledger = try await old.open()
    #expect(try await ledger.catchUp() == Position(rawValue: 2))
    await ledger.close()
  }

  private func makeOld(_ directory: LedgerDirectory) throws {
    let generation = directory.generation(LedgerDirectory.firstGeneration)
    for name in ["/data.mdb", "/lock.mdb"] { try FileSystem.removeTree(generation + name) }
    let environment = try Environment.open(
      at: generation, configuration: Configuration(), tables: LedgerTables.firstDescriptions)
    let meta = try environment.table(named: "meta")
    let record = LedgerMetadata(ledgerID: LedgerID(entityID: .numbered(5)), createdAt: .at(0))
    let (key, bytes) = (LedgerMetadata.key, record.encoded)
    try environment.write { transaction in
      try transaction.put(bytes.span, forKey: key.span, in: meta)
    }
    try environment.close()
  }
}
