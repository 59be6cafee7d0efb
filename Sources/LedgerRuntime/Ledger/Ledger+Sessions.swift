extension Ledger {
  /// The sessions that have not ended, according to the log, in the order of their ids.
  ///
  /// An extension can check whether the app is running:
  ///
  /// ```swift
  /// let isAppOpen = try await ledger.openSessions().contains {
  ///   $0.opened.role == .app && $0.status == .open
  /// }
  /// ```
  ///
  /// A session whose process was killed is included until another session detects its death, usually within a
  /// second. ``events(after:)`` reports sessions as they open, freeze and close.
  ///
  /// On a frozen ledger, the call waits for ``unfreeze()``.
  ///
  /// - Throws: ``LedgerError`` with `closed`: open the ledger again; `frozen` if
  ///   ``LedgerConfiguration/waitsWhileFrozen`` is false: unfreeze it; `corrupt`: restore it from a copy.
  /// - Complexity: O(n log n) in their number.
  public func openSessions() async throws -> [SessionRecord] {
    try await engine.read(fromCopy: true) { try $0.openSessions() }
  }
}
