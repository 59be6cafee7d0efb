extension Ledger {
  /// Previews a compaction without performing it.
  ///
  /// - Throws: ``LedgerError`` with `corrupt`, `ioFailure`, `closed`; with `eventsDeleted` if the ledger is
  ///   compacted in the meantime: plan again.
  /// - Complexity: O(events and records to remove + open entities).
  public func plan(
    _ policy: CompactionPolicy = CompactionPolicy()
  ) async throws -> CompactionPlan {
    let engine = engine
    return try await engine.runBlocking { try await CompactionPlan(policy, of: engine) }
  }

  /// Folds events into the snapshot, removes records of closed entities that are old enough, and
  /// deletes folded events that are old enough.
  ///
  /// It works in short steps, between which other readers and writers continue, and changes no answers except
  /// those about records and events that the policy removes. You can cancel it, or kill its process, at any
  /// time: the next compaction continues where it ended. While the ledger is frozen, it waits.
  ///
  /// - Parameters:
  ///   - policy: The rules for which events and records to keep.
  ///   - progress: Receives the progress after each step.
  /// - Throws: ``LedgerError`` with `compactionBusy` if the ledger is being compacted already; `corrupt` if
  ///   written data did not read back unchanged: restore the ledger from a copy (no event was deleted that
  ///   the snapshot does not hold); `alreadyExists` if an archive of other events has the name: move that
  ///   file; `diskFull`, `ledgerFull`, `writerStalled`, `ioFailure`, `closed`; `CancellationError`. The
  ///   folding and deletion done so far are kept; compact again.
  @discardableResult
  public func compact(
    _ policy: CompactionPolicy = CompactionPolicy(),
    progress: @escaping @Sendable (CompactionProgress) -> Void = { _ in }
  ) async throws -> CompactionReport {
    try await engine.compact(policy, plan: nil, progress)
  }

  /// Performs a planned compaction, and also folds the events written since the plan.
  ///
  /// Only events that the plan named are deleted. Additional records may be removed that the plan could not
  /// count, because the events that closed them were not folded yet.
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
