package import LedgerModel

/// A store that a rule of the contract, or a test, works on. Its storage, such as a directory, lives as long
/// as this value.
package struct StoreSubject {
  package let store: any EventStore
  package let sessions: any SessionRegistry
  /// The store as another session has it.
  package let reopened: () throws -> any EventStore

  package static let session = SessionID(entityID: EntityID(high: 5, low: 5))

  package init(
    store: any EventStore, sessions: any SessionRegistry,
    reopened: @escaping () throws -> any EventStore
  ) {
    self.store = store
    self.sessions = sessions
    self.reopened = reopened
  }

  /// A store that all its sessions share, and that has no information about their processes.
  package init(store: any EventStore) {
    self.init(store: store, sessions: UnwatchedSessions(), reopened: { store })
  }

  /// Appends events that count up in their payload.
  @discardableResult
  package func append(
    _ count: Int, number: UInt64 = 1, after position: Position = .start,
    attachment: [UInt8] = [], needsDeadlineCheck: Bool = false, patience: Duration = .seconds(5)
  ) throws -> Position {
    try store.commit(
      CommitID(session: Self.session, number: number), after: position,
      patience: Patience(patience), catchUp: { (_) throws(LedgerError) in },
      decide: { (_, _) throws(LedgerError) in
        var batch = try Self.batch(count, attachment: attachment)
        if needsDeadlineCheck { batch.noteDeadline() }
        return batch
      })
  }

  package static func batch(
    _ count: Int, attachment: [UInt8] = []
  ) throws(LedgerError) -> EventBatch {
    var batch = EventBatch()
    for index in 0..<count {
      try batch.append(
        NewEvent(
          kind: .promiseAbandoned, version: 1,
          time: Timestamp(nanosecondsSinceEpoch: Int64(index)),
          subject: EntityID(high: 7, low: UInt64(index)),
          payload: PromiseAbandoned(reason: "\(index)").encoded,
          attachment: index == 0 ? attachment : []))
    }
    return batch
  }

  /// The positions and reasons of all events after `position`.
  package func events(
    after position: Position = .start, limit: Int = .max
  ) throws -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    _ = try store.read(after: position, limit: limit) { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: position) { events.append(LedgerEvent(copying: $0)) }
    }
    return events
  }
}
