/// The subject of an event.
package enum LedgerSubject: Sendable, Hashable {
  /// A promise.
  case promise(PromiseID)
  /// A session.
  case session(SessionID)
  /// A handler.
  case handler(HandlerID)

  /// The kind of a subject.
  package typealias Kind = EntityKind
}

extension ReplayedLedger {
  /// The entities between two ids, both included, in the order of ids.
  ///
  /// - Parameters:
  ///   - first: The lowest id.
  ///   - last: The highest id.
  ///   - kinds: The kinds to include; by default all.
  ///   - limit: The maximum number of results.
  ///   - wants: Chooses ids; by default all.
  ///   - progress: Called periodically. It must not use a ledger.
  /// - Throws: ``LedgerError`` with `corrupt`; with `eventsDeleted` if the ledger was compacted past
  ///   ``position`` meanwhile.
  /// - Complexity: O(entities that changed since the snapshot + entities between the two ids).
  package func subjects(
    from first: EntityID, through last: EntityID,
    of kinds: Set<LedgerSubject.Kind> = Set(LedgerSubject.Kind.allCases), limit: Int,
    where wants: (EntityID) -> Bool = { _ in true }, progress: () -> Void = {}
  ) throws(LedgerError) -> [LedgerSubject] {
    let found = try reading { (state) throws(LedgerError) in
      try state.ids(from: first, through: last, of: kinds, limit: limit, where: wants, progress)
    }
    return found.map { found in
      switch found.kind {
      case .promise: .promise(PromiseID(entityID: found.id))
      case .session: .session(SessionID(entityID: found.id))
      case .handler: .handler(HandlerID(entityID: found.id))
      }
    }
  }

  /// The record of a session, or `nil` if there is none.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  package func record(of id: SessionID) throws(LedgerError) -> SessionRecord? {
    try reading { (state) throws(LedgerError) in try state.session(id) }
  }
}
