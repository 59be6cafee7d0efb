import LedgerBytes
package import LedgerLMDB
package import LedgerModel
import LedgerModelTestSupport
import LedgerRuntime
import LedgerSystem
package import PromiseLedgerTesting

@testable import PromiseLedger

/// A ledger on disk whose events are given one by one, regardless of the rules.
package struct CraftedLedger {
  package let temporary: TemporaryLedger
  private let options: StoreOptions
  private var commitCount: UInt64 = 0

  package var path: String { temporary.path }

  package init(id: Int = 77) throws {
    temporary = try TemporaryLedger()
    var options = StoreOptions(sizeLimit: 1 << 30)
    options.environment.durability = .noneForTests
    self.options = options
    try LMDBEventStore.openOrCreate(
      LedgerDirectory(temporary.path), options: options,
      newLedgerID: LedgerID(entityID: .numbered(id)), now: .at(5)
    ).close()
  }

  /// Writes events in one commit, and closes the ledger again.
  package mutating func commit(_ events: [NewEvent], by session: SessionID = .numbered(1)) throws {
    commitCount += 1
    var batch = EventBatch()
    for event in events { try batch.append(event) }
    let made = batch
    let store = try LMDBEventStore(opening: LedgerDirectory(path), options: options)
    defer { store.close() }
    _ = try store.commit(
      CommitID(session: session, number: commitCount), after: try store.head(),
      patience: Patience(.seconds(5)), catchUp: { _ in }, decide: { _, _ in made })
  }

  /// Folds all events and deletes them. As the newest frame always stays, another session is opened first.
  package mutating func compact() throws {
    let session = SessionID.numbered(9)
    try commit([.of(SessionOpened.sample(), on: session.entityID)], by: session)
    let store = try LMDBEventStore(opening: LedgerDirectory(path), options: options)
    defer { store.close() }
    let head = try store.head()
    var folder = Folder()
    while try folder.step(of: store, through: head, limit: 1_000) != nil {}
    try folder.markReadBack(of: store)
    let deletion = EventDeletion(store)
    while try deletion.step(through: head) != nil {}
  }

  /// A session, promises in every state, large values, a commit of many frames, and events that no
  /// build of this version writes.
  package static func sample() throws -> CraftedLedger {
    var ledger = try CraftedLedger()
    try ledger.commit([
      .of(LedgerCreated(formatVersion: 0), on: .numbered(77)),
      .of(SessionOpened.sample(), on: SessionID.numbered(1).entityID),
    ])
    let ids = (1...4).map { PromiseID.numbered($0).entityID }
    try ledger.commit(ids.map { .of(PromiseCreated(typeTag: "bytes", tags: ["t"]), on: $0) })
    var large = NewEvent.of(
      PromiseResolved(
        outcome: .fulfilled, resolvedAt: .at(9), idempotencyKey: "once", content: nil),
      on: ids[0])
    large.attachment = (0..<9_001).map { UInt8(truncatingIfNeeded: $0) }
    try ledger.commit([large])
    var consumed = NewEvent.of(PromiseConsumed(delivery: .recordedAfter), on: ids[0])
    consumed.cause = Position(rawValue: 7)
    try ledger.commit([consumed, .of(PromiseAbandoned(reason: "no\nmore"), on: ids[1])])
    try ledger.commit([.raw(EventKind(rawValue: 999), version: 7, on: ids[2], payload: [1, 2])])
    try ledger.commit(
      (100..<200).map {
        .of(
          PromiseCreated(typeTag: String(repeating: "x", count: 100)),
          on: PromiseID.numbered($0).entityID)
      })
    return ledger
  }

  /// The bytes of all its live frames, with their keys.
  package func frames() throws -> [(key: UInt64, bytes: [UInt8])] {
    var frames: [(key: UInt64, bytes: [UInt8])] = []
    try edit { transaction, log, _ in
      try transaction.scan(log) { key, value in
        var bytes: [UInt8] = []
        bytes.append(contentsOf: value)
        frames.append((key, bytes))
        return true
      }
    }
    return frames
  }

  /// Lets the next commit have the number 1 again.
  package mutating func restartCommits() { commitCount = 0 }

  /// Changes the store behind the ledger's back.
  package func edit(
    _ body: (inout WriteTransaction, _ log: Table, _ blob: Table) throws -> Void
  ) throws {
    let environment = try Environment.open(
      at: LedgerDirectory(path).generation(LedgerDirectory.firstGeneration),
      tables: LedgerTables.descriptions)
    let (log, blob) = (try environment.table(named: "log"), try environment.table(named: "blob"))
    try environment.write { transaction in try body(&transaction, log, blob) }
    try environment.close()
  }
}
