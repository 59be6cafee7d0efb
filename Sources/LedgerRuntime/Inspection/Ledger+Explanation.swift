extension Ledger {
  /// The reasons why a promise or its work waits, at the present time; `nil` if there is no such promise.
  ///
  /// - Throws: ``LedgerError`` with `closed`: open the ledger again; `frozen` if
  ///   ``LedgerConfiguration/waitsWhileFrozen`` is false: unfreeze it; `corrupt`: restore it from a copy.
  /// - Complexity: O(open handlers + open work).
  public func explanation(of id: PromiseID) async throws -> Explanation? {
    try await explaining { (explainer) throws(LedgerError) in try explainer.explain(id) }
  }

  /// The reasons why a handler waits, at the present time; `nil` if there is no such handler.
  ///
  /// - Throws: As ``explanation(of:)-(PromiseID)``.
  public func explanation(of id: HandlerID) async throws -> Explanation? {
    try await explaining { (explainer) throws(LedgerError) in try explainer.explain(id) }
  }

  private func explaining(
    _ body: @escaping @Sendable (Explainer) throws(LedgerError) -> Explanation?
  ) async throws -> Explanation? {
    let (engine, registry) = (engine, engine.setup.sessions)
    return try await engine.read(fromCopy: true) { state in
      // The time of the answer: the session may have been frozen when it was asked.
      let now = engine.currentTime
      let presences = try registry.presences(of: state.openSessions())
      return try body(Explainer(state, at: now, presences))
    }
  }
}
