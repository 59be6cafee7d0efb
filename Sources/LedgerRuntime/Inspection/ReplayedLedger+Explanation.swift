extension ReplayedLedger {
  /// The reasons why a promise or its work waits; `nil` if there is no such promise.
  ///
  /// - Parameter now: The time for which the reasons hold.
  /// - Throws: ``LedgerError`` with `corrupt`, and with `eventsDeleted` if the ledger was compacted past
  ///   ``position`` in the meantime: replay again.
  /// - Complexity: O(open handlers + open work).
  public func explanation(
    of id: PromiseID, at now: Timestamp
  ) throws(LedgerError) -> Explanation? {
    let presences = try sessionPresences()
    return try reading { (state) throws(LedgerError) in
      try Explainer(state, at: now, presences).explain(id)
    }
  }

  /// The reasons why a handler waits; `nil` if there is no such handler.
  ///
  /// - Parameter now: The time for which the reasons hold.
  /// - Throws: As ``explanation(of:at:)-(PromiseID,_)``.
  public func explanation(
    of id: HandlerID, at now: Timestamp
  ) throws(LedgerError) -> Explanation? {
    let presences = try sessionPresences()
    return try reading { (state) throws(LedgerError) in
      try Explainer(state, at: now, presences).explain(id)
    }
  }
}

extension LedgerInspector {
  /// The reasons why a promise or its work waits; `nil` if there is no such promise.
  ///
  /// - Parameter now: The time for which the reasons hold.
  /// - Throws: As ``replay()``.
  /// - Complexity: O(events since the snapshot + open handlers + open work).
  public func explanation(
    of id: PromiseID, at now: Timestamp = .now
  ) async throws -> Explanation? {
    try await run { inspector in
      try inspector.withReplay { try $0.explanation(of: id, at: now) }
    }
  }

  /// The reasons why a handler waits; `nil` if there is no such handler.
  ///
  /// - Parameter now: The time for which the reasons hold.
  /// - Throws: As ``replay()``.
  /// - Complexity: O(events since the snapshot + open handlers).
  public func explanation(
    of id: HandlerID, at now: Timestamp = .now
  ) async throws -> Explanation? {
    try await run { inspector in
      try inspector.withReplay { try $0.explanation(of: id, at: now) }
    }
  }
}

extension ReplayedLedger {
  /// What open handlers, unfinished calls and open work name a promise or a handler.
  ///
  /// - Parameters:
  ///   - id: The promise or handler.
  ///   - limit: The maximum number of results.
  /// - Throws: As ``explanation(of:at:)-(PromiseID,_)``.
  /// - Complexity: O(open handlers + open work).
  package func referrers(of id: EntityID, limit: Int) throws(LedgerError) -> [Referrer] {
    try reading { (state) throws(LedgerError) in try state.referrers(of: id, limit: limit) }
  }
}
