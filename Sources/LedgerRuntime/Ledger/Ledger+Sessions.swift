extension Ledger {
  /// The sessions that have not ended, as far as the log tells, in the order of their ids.
  ///
  /// An extension can see that the app is there:
  ///
  /// ```swift
  /// let isAppOpen = try await ledger.openSessions().contains {
  ///   $0.opened.role == .app && $0.status == .open
  /// }
  /// ```
  ///
  /// One whose process was killed is among them until a session finds it dead, mostly within a second.
  /// ``events(after:)`` tells of sessions as they open, freeze and close.
  ///
  /// A frozen session waits until it is unfrozen.
  ///
  /// - Throws: ``LedgerError`` with `closed`: open the ledger again; `frozen` if
  ///   ``LedgerConfiguration/waitsWhileFrozen`` is false: unfreeze it; `corrupt`: restore it from a copy.
  /// - Complexity: O(n log n) in their number.
  public func openSessions() async throws -> [SessionRecord] {
    try await engine.read(fromCopy: true) { try $0.openSessions() }
  }
}
