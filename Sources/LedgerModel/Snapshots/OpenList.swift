import LedgerBytes

/// A list of entities that can still change, or of closed entities.
///
/// All lists share one table; the prefix of a key identifies its list.
package enum OpenList: Sendable, Hashable {
  /// The active handlers with a scope.
  case scope(String)
  /// The pending promises that have a deadline, the earliest first.
  case deadlines
  /// The handlers that are active or have open calls, in the order of their creation.
  case handlers
  /// The promises that are neither consumed nor abandoned, in the order of their creation.
  case promises
  /// The handlers of which a session is running a call.
  case running(SessionID)
  /// The sessions that have not ended.
  case sessions
  /// The closed entities, in the order in which they ended.
  case closed
  /// The promises that are open and settled by code or by other promises, in the order of their creation.
  case work
  /// The work of a kind that is due at once, in the order in which it is run.
  case dueWork(String)
  /// The work of a kind that becomes due at a time, the earliest first.
  case timedWork(String)
  /// The work that becomes due when a promise is settled in the given way.
  case awaitingWork(PromiseID, WorkTrigger.Settlement)
  /// The pending work of a lane that is not parked, in the order of its creation.
  case lane(String, LanePart)
  /// The work that is parked, in the order in which it was parked.
  case parkedWork
  /// The pending work that other work started.
  case children(PromiseID)
  /// The pending joints with an input.
  case joints(PromiseID)

  /// A part of the work of a lane.
  package enum LanePart: UInt8, Sendable, Hashable {
    /// The work that counts against the width of the lane, because an attempt of it was started.
    case held = 0
    /// The work of which no attempt was started.
    case queued = 1
  }

  /// The kind of a list, or of the list that it is a part of.
  package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    case scopes = 0x63
    case deadlines = 0x64
    case handlers = 0x68
    case promises = 0x70
    case running = 0x72
    case sessions = 0x73
    case closed = 0x78
    // The lists of work, in the order of their numbers.
    case awaitingWork = 0x61
    case parkedWork = 0x66
    case joints = 0x6a
    case children = 0x6b
    case lanes = 0x6c
    case dueWork = 0x6e
    case work = 0x71
    case timedWork = 0x74

    /// The lists of the first version, in the order of their counts.
    static let original: [Kind] = [
      .scopes, .deadlines, .handlers, .promises, .running, .sessions, .closed,
    ]

    /// Whether an entity may have several entries in the list.
    var hasSeveral: Bool { [.scopes, .running, .awaitingWork, .joints].contains(self) }

    /// The human-readable name of the list.
    var name: String {
      switch self {
      case .scopes: "handlers by scope"
      case .deadlines: "deadlines"
      case .handlers: "open handlers"
      case .promises: "open promises"
      case .running: "running calls"
      case .sessions: "open sessions"
      case .closed: "closed entities"
      case .awaitingWork: "work that awaits promises"
      case .parkedWork: "parked work"
      case .children: "work by parent"
      case .joints: "joints by input"
      case .lanes: "work by lane"
      case .dueWork: "work that is due at once"
      case .work: "open work and joints"
      case .timedWork: "work by time"
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .scope: .scopes
    case .deadlines: .deadlines
    case .handlers: .handlers
    case .promises: .promises
    case .running: .running
    case .sessions: .sessions
    case .closed: .closed
    case .work: .work
    case .dueWork: .dueWork
    case .timedWork: .timedWork
    case .awaitingWork: .awaitingWork
    case .lane: .lanes
    case .parkedWork: .parkedWork
    case .children: .children
    case .joints: .joints
    }
  }

  /// Whether this is only a part of a list.
  var isPart: Bool {
    switch self {
    case .scope, .running, .dueWork, .timedWork, .awaitingWork, .lane, .children, .joints: true
    case .deadlines, .handlers, .promises, .sessions, .closed, .work, .parkedWork: false
    }
  }

  /// Whether a part is read only after the whole list was counted, because an entry that is missing from it would
  /// not be noticed otherwise. The lists of work may be too long for that.
  var isCountedFirst: Bool {
    switch self {
    case .scope, .running: true
    case .deadlines, .handlers, .promises, .sessions, .closed, .work, .dueWork, .timedWork,
      .awaitingWork, .lane, .parkedWork, .children, .joints:
      false
    }
  }

  /// Whether a decision reads only as many entries as it needs, because the list may be very long.
  var isPaged: Bool {
    switch self {
    case .deadlines, .dueWork, .timedWork, .awaitingWork, .lane(_, .queued), .joints, .children:
      true
    case .scope, .handlers, .promises, .running, .sessions, .closed, .work, .lane(_, .held),
      .parkedWork:
      false
    }
  }

  /// The prefix of the list's keys.
  var prefix: [UInt8] { prefix(capacity: 1) }

  /// - Parameter capacity: The minimum capacity to reserve for the whole key, in bytes, if known.
  private func prefix(capacity: Int) -> [UInt8] {
    var prefix: [UInt8] = []
    prefix.reserveCapacity(capacity)
    prefix.append(kind.rawValue)
    switch self {
    case .scope(let name), .dueWork(let name), .timedWork(let name):
      prefix.append(contentsOf: name.utf8)
      prefix.append(0)
    case .lane(let name, let part):
      prefix.append(contentsOf: name.utf8)
      prefix += [0, part.rawValue]
    case .running(let session): session.entityID.append(to: &prefix)
    case .awaitingWork(let promise, let settlement):
      promise.entityID.append(to: &prefix)
      prefix.append(settlement.rawValue)
    case .children(let promise), .joints(let promise): promise.entityID.append(to: &prefix)
    case .deadlines, .handlers, .promises, .sessions, .closed, .work, .parkedWork: break
    }
    return prefix
  }

  /// The key of an entry.
  ///
  /// - Parameter order: The number before the id, if the list has an order of its own.
  func key(_ id: EntityID, order: UInt64? = nil) -> [UInt8] {
    var key = prefix(capacity: 25)
    if let order { key.appendLittleEndian(order.byteSwapped) }
    id.append(to: &key)
    return key
  }
}

/// An entry of a list of open entities.
package struct OpenEntry: Sendable, Hashable {
  package let key: [UInt8]
  /// The content of the entry, without the checksum.
  package let value: [UInt8]

  package init(key: [UInt8], value: [UInt8]) {
    self.key = key
    self.value = value
  }
}

extension OpenEntry {
  /// Decodes the entry stored under a key.
  ///
  /// - Throws: `corrupt` if it is not an entry of a list, or its checksum does not match.
  package init(key: [UInt8], stored: [UInt8]) throws(LedgerError) {
    guard key.count >= 17, key[0] > 0 else {
      throw LedgerError(
        .corrupt,
        "The lists of the snapshot have an entry that belongs to no list: \(key.hexadecimal). Restore the ledger from a copy."
      )
    }
    guard SnapshotRecord.isSound(stored, key: key) else {
      let id = EntityID(loadedFrom: key.span, at: key.count - 16)
      throw Self.damaged(id, in: OpenList.Kind(rawValue: key[0]), "its checksum does not match")
    }
    self.init(key: key, value: Array(stored[SnapshotRecord.checksumByteCount...]))
  }

  /// The stored form of the value, which begins with the checksum.
  package var stored: [UInt8] { SnapshotRecord.sealing(value, key: key) }

  /// The list that contains the entry; `nil` for a list of a later version.
  package var kind: OpenList.Kind? { key.first.flatMap(OpenList.Kind.init) }

  /// The listed entity.
  package var id: EntityID {
    EntityID(loadedFrom: key.span, at: max(0, key.count - 16))
  }

  /// The number between the prefix of the key and the id: a position or a deadline.
  var order: UInt64 {
    guard key.count >= 25 else { return 0 }
    return UInt64(littleEndian: key.span.loadLittleEndian(at: key.count - 24)).byteSwapped
  }

  /// The deadline, in the list of deadlines.
  package var deadline: Timestamp { Timestamp(ordered: order) }

  /// The position of the creation or of the end, in a list that is ordered by it.
  package var position: Position { Position(rawValue: order) }

  /// The session that created the promise, in the list of promises.
  package var creator: SessionID? {
    guard value.count == 17 else { return nil }
    return SessionID(entityID: EntityID(loadedFrom: value.span, at: 1))
  }

  /// The time of the end, in the list of closed entities.
  package var time: Timestamp {
    guard value.count >= 8 else { return Timestamp(nanosecondsSinceEpoch: .max) }
    return Timestamp(nanosecondsSinceEpoch: value.span.loadLittleEndian(at: 0))
  }

  /// The size of the attachments that the record owns, in bytes, in the list of closed entities.
  package var attachmentByteCount: Int {
    guard value.count >= 16 else { return 0 }
    return Int(clamping: UInt64(littleEndian: value.span.loadLittleEndian(at: 8)))
  }

  /// The parent of the promise, in the list of closed entities.
  package var parent: PromiseID? {
    guard value.count == 32 else { return nil }
    return PromiseID(entityID: EntityID(loadedFrom: value.span, at: 16))
  }
}

extension Timestamp {
  /// An unsigned number that sorts in the order of time.
  var ordered: UInt64 { UInt64(bitPattern: nanosecondsSinceEpoch) ^ 1 << 63 }

  init(ordered: UInt64) {
    self.init(nanosecondsSinceEpoch: Int64(bitPattern: ordered ^ 1 << 63))
  }
}

// MARK: - Entries of an entity

extension LedgerEntity {
  /// All entries of the entity in all lists.
  package var openEntries: [OpenEntry] {
    guard isOpen || kind == nil else { return [closedEntry] }
    switch self {
    case .promise(let promise): return promise.openEntries
    case .session: return [OpenEntry(key: OpenList.sessions.key(id), value: [])]
    case .handler(let handler): return handler.openEntries
    case .opaque(let entity): return entity.outline.entries
    }
  }

  /// The only entry of a closed entity.
  private var closedEntry: OpenEntry {
    var value: [UInt8] = []
    value.appendLittleEndian(lastTime.nanosecondsSinceEpoch)
    let byteCount = attachments.reduce(0) { $0 + $1.byteCount }
    let parent = promise?.parent
    if byteCount > 0 || parent != nil { value.appendLittleEndian(UInt64(byteCount)) }
    parent?.entityID.append(to: &value)
    return OpenEntry(key: OpenList.closed.key(id, order: lastPosition.rawValue), value: value)
  }

  /// Whether an entry is among those of the entity. In the usual cases the others are not made, because walks check
  /// each entry that they read.
  fileprivate func has(_ entry: OpenEntry) -> Bool {
    switch self {
    case .promise(let promise) where promise.isOpen && entry.kind == promise.list.kind:
      promise.isListed(by: entry)
    case .promise, .session, .handler:
      isOpen ? openEntries.contains(entry) : closedEntry == entry
    case .opaque: openEntries.contains(entry)
    }
  }
}

extension PromiseEntity {
  /// The list of open promises that the promise belongs to while it is open.
  fileprivate var list: OpenList { isComputed ? .work : .promises }

  /// Whether its entry in ``list`` is the given one, compared in place.
  fileprivate func isListed(by entry: OpenEntry) -> Bool {
    entry.key.count == 25 && entry.order == created.position.rawValue && entry.id == id.entityID
      && entry.creator == created.session && entry.value[0] == statusByte
  }

  /// The status in its entry in ``list``.
  private var statusByte: UInt8 { status == .pending ? 0 : 1 }

  fileprivate var openEntries: [OpenEntry] {
    var value = [statusByte]
    created.session.entityID.append(to: &value)
    let id = id.entityID
    var entries = [
      OpenEntry(key: list.key(id, order: created.position.rawValue), value: value)
    ]
    guard status == .pending else { return entries }
    if let deadline {
      entries.append(OpenEntry(key: OpenList.deadlines.key(id, order: deadline.ordered), value: []))
    }
    if isExtended { entries += workEntries }
    return entries
  }
}

extension HandlerEntity {
  fileprivate var openEntries: [OpenEntry] {
    let id = id.entityID
    var entries = [
      OpenEntry(
        key: OpenList.handlers.key(id, order: created.position.rawValue), value: Array(kind.utf8))
    ]
    if status == .active {
      for scope in Set(scopes) {
        entries.append(OpenEntry(key: OpenList.scope(scope).key(id), value: []))
      }
    }
    for session in Set(openCalls.values.compactMap(\.runningSession)) {
      entries.append(OpenEntry(key: OpenList.running(session).key(id), value: []))
    }
    return entries
  }
}

extension OpenEntry {
  func damaged(_ what: String) -> LedgerError { Self.damaged(id, in: kind, what) }

  /// The error for an entry that cannot be trusted.
  private static func damaged(
    _ id: EntityID, in list: OpenList.Kind?, _ what: String
  ) -> LedgerError {
    let name = list.map { "the list of \($0.name)" } ?? "a list of a later version"
    return LedgerError(
      .corrupt,
      "The entry of \(id) in \(name) is damaged: \(what). Restore the ledger from a copy.")
  }
}

extension OpenList.Kind {
  /// The error for a whole list whose number of entries differs from the snapshot's count.
  func miscounted(_ count: UInt64, expected: UInt64) -> LedgerError {
    LedgerError(
      .corrupt,
      "The list of \(name) has \(count) entries, but the snapshot counts \(expected). Restore the ledger from a copy."
    )
  }
}

extension OpenEntry {
  /// Checks that the listed entity belongs in the list as the entry says.
  ///
  /// - Throws: `corrupt`.
  func check(_ entity: LedgerEntity) throws(LedgerError) {
    guard entity.has(self) else { throw damaged("its record contradicts it") }
  }

  /// The error for an entry of an entity that has no record.
  var withoutRecord: LedgerError { damaged("it has no record") }
}
