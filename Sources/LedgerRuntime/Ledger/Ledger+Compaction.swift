extension Ledger {
  /// What compaction would do now, without doing it.
  ///
  /// - Throws: ``LedgerError`` with `corrupt`, `ioFailure`, `closed`; with `eventsCompacted` if the
  ///   ledger is compacted meanwhile: plan again.
  /// - Complexity: O(events and records to go + open entities).
  public func plan(
    _ policy: CompactionPolicy = CompactionPolicy()
  ) async throws -> CompactionPlan {
    let engine = engine
    return try await engine.runBlocking { try await CompactionPlan(policy, of: engine) }
  }

  /// Folds events into the snapshot, removes records of closed entities that are old enough, and
  /// deletes folded events that are old enough.
  ///
  /// It works in short steps between which other readers and writers go on, and changes no answer but
  /// about what the policy lets go. It can be cancelled, and its process killed, at any time: the next
  /// compaction goes on where it ended. While the ledger is frozen it waits.
  ///
  /// - Parameters:
  ///   - policy: What is kept.
  ///   - progress: Gets how far it is, after each step.
  /// - Throws: ``LedgerError`` with `compactionBusy` if the ledger is being compacted already; `corrupt`
  ///   if what was written was not read back as it was: no event is deleted then that the snapshot does
  ///   not hold, so restore it from a copy; `alreadyExists` if an archive of other events has the name:
  ///   move that file; `diskFull`, `ledgerFull`, `writerStalled`, `ioFailure`, `closed`;
  ///   `CancellationError`. The folding and the deletions up to then stay; compact again.
  @discardableResult
  public func compact(
    _ policy: CompactionPolicy = CompactionPolicy(),
    progress: @escaping @Sendable (CompactionProgress) -> Void = { _ in }
  ) async throws -> CompactionReport {
    try await engine.compact(policy, plan: nil, progress)
  }

  /// Does what was planned, and folds what happened since then, too.
  ///
  /// No event is deleted that the plan did not name. Records may leave that it could not count, because
  /// the events that ended them were not folded.
  ///
  /// - Throws: As ``compact(_:progress:)-(CompactionPolicy,_)``.
  @discardableResult
  public func compact(
    _ plan: CompactionPlan,
    progress: @escaping @Sendable (CompactionProgress) -> Void = { _ in }
  ) async throws -> CompactionReport {
    try await engine.compact(plan.policy, plan: plan, progress)
  }
}
