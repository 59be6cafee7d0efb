import LedgerBytes
import LedgerModelTestSupport
import PromiseLedgerTesting

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Changes a ledger as a later version of the library might: it adds an event, a kind of entity, a
/// list, and layouts of records that this version does not know, and folds them.
struct LaterVersion {
  /// An entity that only the later version knows, and its content.
  struct Unknown {
    let id: EntityID
    let type: RecordType
    var isKeyed = false
    /// The entries in lists: the beginning of each, the part before the id, and the value beside
    /// it.
    var entries: [(list: UInt8, order: [UInt8], value: [UInt8])]
    var attachmentByteCount = 0
  }

  static let event = EventKind(rawValue: 999)
  /// The list of the later version.
  static let list: UInt8 = 0x77
  /// A promise of this version that the open session of the later version made and resolved.
  static let promise = PromiseID.numbered(8)
  /// A promise of this version with a deadline after those of the later version.
  static let timer = PromiseID.numbered(7)
  /// A session of this version whose process died while it ran the handler of the later version.
  static let runner = SessionID.numbered(10)
  /// Long past.
  static let deadline = Timestamp.at(1_000)
  /// As long as that of a promise with a key.
  static let work = EntityID(high: 0x2222_2222_2222_8222, low: 0xa222_2222_2222_2222)

  /// One of each kind, with entries in every list.
  static let unknown: [Unknown] = [
    Unknown(
      id: work, type: RecordType(kind: 4, layout: 1), isKeyed: true,
      entries: [
        (OpenList.Kind.deadlines.rawValue, ordered(deadline.ordered), []), (list, [1, 2], [3]),
      ]),
    Unknown(
      id: .numbered(0x4_0001), type: RecordType(kind: 4, layout: 1),
      entries: [(OpenList.Kind.closed.rawValue, [], [])],
      attachmentByteCount: 9_000),
    Unknown(
      id: .numbered(0x4_0002), type: RecordType(kind: 1, layout: 1),
      entries: [
        (OpenList.Kind.deadlines.rawValue, ordered(deadline.ordered), []),
        (OpenList.Kind.promises.rawValue, ordered(3), [UInt8](repeating: 0, count: 17)),
      ]),
    Unknown(
      id: .numbered(0x4_0003), type: RecordType(kind: 3, layout: 1),
      entries: [
        (OpenList.Kind.scopes.rawValue, Array("scope".utf8) + [0], []),
        (OpenList.Kind.handlers.rawValue, ordered(4), Array("later".utf8)),
        (OpenList.Kind.running.rawValue, SnapshotRecord.key(runner.entityID), []),
      ]),
    Unknown(
      id: .numbered(0x4_0004), type: RecordType(kind: 2, layout: 7),
      entries: [(OpenList.Kind.sessions.rawValue, [], [])]),
  ]

  private static func ordered(_ number: UInt64) -> [UInt8] {
    Position(rawValue: number).bigEndianBytes
  }

  // MARK: Writing

  /// Writes an event about each unknown entity, and folds everything.
  static func write(to store: any EventStore) throws {
    let session = SessionID.numbered(9)
    try commit([.of(SessionOpened.sample(), on: runner.entityID)], by: runner, to: store)
    var batch: [NewEvent] = [.of(SessionOpened.sample(), on: session.entityID)]
    for (number, unknown) in unknown.enumerated() {
      var event = NewEvent.raw(event, version: 1, on: unknown.id, payload: [UInt8(number)])
      event.attachment = attachment(of: unknown)
      batch.append(event)
    }
    batch.append(.of(SessionClosed(reason: .closed), on: session.entityID))
    try commit(batch, by: session, to: store)
    try fold(store)
    try commit(
      [
        .of(PromiseCreated(typeTag: "text"), on: promise.entityID),
        .of(
          PromiseResolved(
            outcome: .fulfilled, resolvedAt: .at(9), idempotencyKey: nil, content: [1]),
          on: promise.entityID),
        .of(
          PromiseCreated(typeTag: "text", deadline: .at(5_000), deadlineEffect: .fulfils),
          on: timer.entityID),
      ], by: SessionID(entityID: unknown[4].id), to: store)
    try foldKnown(store)
  }

  static func attachment(of unknown: Unknown) -> [UInt8] {
    (0..<unknown.attachmentByteCount).map { UInt8(truncatingIfNeeded: $0) }
  }

  /// Folds everything that this version can, and then the rest.
  private static func fold(_ store: any EventStore) throws {
    try foldKnown(store)
    var edit = SnapshotEdit(try store.snapshotSummary())
    var positions: [EntityID: LedgerEvent.Trace] = [:]
    for (event, attachment) in try store.storedEvents(
      after: edit.new.position, through: store.head(), limit: .max, attachmentByteLimit: .max)
    where event.view.kind == Self.event {
      edit.new.position = event.position
      edit.new.time = max(edit.new.time, event.view.time)
      edit.new.logDigest = edit.new.logDigest.adding(event, attachment: try attachment.get())
      positions[event.view.subject] = LedgerEvent.Trace(event.view)
    }
    for unknown in unknown {
      guard let last = positions[unknown.id] else { continue }
      try edit.put(entity(unknown, last), replacing: nil)
    }
    try store.apply(edit, patience: Patience(.seconds(5)))
    try foldKnown(store)
  }

  private static func foldKnown(_ store: any EventStore) throws {
    var folder = Folder()
    while let step = try folder.step(of: store, through: store.head(), limit: 100),
      step.problem == nil
    {}
    try folder.markReadBack(of: store)
  }

  static func entity(_ unknown: Unknown, _ last: LedgerEvent.Trace) throws -> LedgerEntity {
    var keys = unknown.entries
    for index in keys.indices where keys[index].list == OpenList.Kind.closed.rawValue {
      keys[index].order = last.position.bigEndianBytes
      keys[index].value.appendLittleEndian(last.time.nanosecondsSinceEpoch)
      keys[index].value.appendLittleEndian(UInt64(unknown.attachmentByteCount))
    }
    var content: [UInt8] = [unknown.isKeyed ? 1 : 0]
    content.appendLittleEndian(last.position.rawValue)
    content.appendLittleEndian(last.time.nanosecondsSinceEpoch)
    content.appendLittleEndian(UInt16(unknown.attachmentByteCount > 0 ? 1 : 0))
    if unknown.attachmentByteCount > 0 {
      content.appendLittleEndian(last.position.rawValue)
      content.appendLittleEndian(UInt32(unknown.attachmentByteCount))
    }
    content.appendLittleEndian(UInt16(keys.count))
    for entry in keys {
      content.append(entry.list)
      content.appendPayload(entry.order)
      content.appendPayload(entry.value)
    }
    content += Array("only the later version reads this".utf8)
    // Longer than a piece.
    content += [UInt8](repeating: 0xAB, count: unknown.type.kind == 4 ? 9_000 : 0)
    return try LedgerEntity(type: unknown.type, id: unknown.id, content: content)
  }
}

extension LaterVersion {
  /// Writes to a ledger that no process has open.
  static func change(_ ledger: TemporaryLedger) throws {
    let store = try open(ledger)
    defer { store.close() }
    try write(to: store)
  }

  /// Appends events to a ledger that no process has open.
  static func append(_ events: [NewEvent], to ledger: TemporaryLedger) throws {
    let store = try open(ledger)
    defer { store.close() }
    try commit(events, by: SessionID(entityID: unknown[4].id), 2, to: store)
  }

  private static func commit(
    _ events: [NewEvent], by session: SessionID, _ number: UInt64 = 1, to store: any EventStore
  ) throws {
    var batch = EventBatch()
    for event in events { try batch.append(event) }
    let made = batch
    try store.commit(
      CommitID(session: session, number: number), after: try store.head(),
      patience: Patience(.seconds(5)), catchUp: { _ in }, decide: { _, _ in made })
  }

  static func open(_ ledger: TemporaryLedger) throws -> LMDBEventStore {
    try LMDBEventStore(
      opening: LedgerDirectory(ledger.path), options: StoreOptions(sizeLimit: 1 << 30))
  }
}
