extension LedgerEngine {
  /// What compaction would do now.
  package func planCompaction(_ policy: CompactionPolicy) async throws -> CompactionPlan {
    let now = setup.clock.now()
    try await withStore { (store) throws(LedgerError) in _ = try catchUp(store, rebases: true) }
    let retention = try await read(fromCopy: true) { state in
      try RetentionPlan(state, endedBy: policy.recordAge(now: now))
    }
    return try await withStore { (store) throws(LedgerError) in
      try CompactionPlan(policy, retention, now: now, of: store, ledger: store.ledgerID)
    }
  }

  /// Folds, removes records and deletes events, as a policy says.
  ///
  /// Between any two steps it can be cancelled, killed, or wait while the session is frozen: the next
  /// compaction goes on where it ended.
  package func compact(
    _ policy: CompactionPolicy, plan: CompactionPlan? = nil,
    progress: @Sendable (CompactionProgress) -> Void = { _ in }
  ) async throws -> CompactionReport {
    try await withTaskExecutorPreference(compactionExecutor) {
      try await compactHere(policy, plan, progress)
    }
  }

  private func compactHere(
    _ policy: CompactionPolicy, _ plan: CompactionPlan?,
    _ progress: @Sendable (CompactionProgress) -> Void
  ) async throws -> CompactionReport {
    try await alone { turn in
      let now = plan?.time ?? setup.clock.now()
      var run = CompactionRun(turn: turn, plannedEnd: plan?.deletedThrough)
      run.report.releasedReaders = try await stepping(turn) { $0.releaseDeadReaders() }
      var full: LedgerError?
      repeat {
        let deletedBefore = run.report.deletedEvents
        full = try await foldAll(&run, policy, now, progress)
        try await finishFold(&run)
        // A damaged ledger loses nothing that could help to mend it.
        if run.report.problem == nil { try await deleteEvents(&run, policy, now, progress) }
        // The space of deleted events may be enough to go on.
        if let full, run.report.deletedEvents == deletedBefore { throw full }
      } while full != nil
      try await withStore { (store) throws(LedgerError) in _ = try catchUp(store, rebases: true) }
      replica.dropFolded(begins: true)
      return run.report
    }
  }

  /// Folds what there is, removes records, and folds that.
  ///
  /// - Returns: `ledgerFull` if there was no space for all of it.
  private func foldAll(
    _ run: inout CompactionRun, _ policy: CompactionPolicy, _ now: Timestamp,
    _ progress: @Sendable (CompactionProgress) -> Void
  ) async throws -> LedgerError? {
    do {
      let head = try await stepping(run.turn) { (store) throws(LedgerError) in try store.head() }
      try await fold(&run, through: head, progress)
      if run.report.problem == nil { try await removeRecords(&run, policy, now, progress) }
      return nil
    } catch let error as LedgerError where error.code == .ledgerFull {
      return error
    }
  }

  private func fold(
    _ run: inout CompactionRun, through head: Position,
    _ progress: @Sendable (CompactionProgress) -> Void
  ) async throws {
    while run.report.problem == nil {
      guard let result = try await foldStep(&run, through: head) else { continue }
      guard let step = result.step else { return }
      run.pace.adapt(to: step.lock, isRandom: step.isRandom)
      run.report.foldedEvents += step.eventCount
      run.touchedRecords += step.recordCount
      run.report.longestLock = max(run.report.longestLock, step.lock)
      run.report.problem = step.problem?.message
      run.report.problemCode = step.problem?.code
      let left = Int(clamping: head.rawValue - min(head, step.position).rawValue)
      progress(
        CompactionProgress(
          phase: .folding, done: run.report.foldedEvents, total: run.report.foldedEvents + left))
      let tail = Int(clamping: result.head.rawValue - min(step.position, result.head).rawValue)
      let rest = run.pace.rest(
        after: step.duration, of: step.eventCount, wait: step.wait, tail: tail)
      guard rest > .zero else { continue }
      // There is time for it, and whoever ends the rest leaves nothing unread.
      run.folder = try await readBack(run)
      try await Task.sleep(for: rest)
    }
  }

  /// Reads back what the newest step wrote.
  private func readBack(_ run: CompactionRun) async throws -> Folder {
    var folder = run.folder
    return try await stepping(run.turn) { (store) throws(LedgerError) in
      try folder.readBack(in: store)
      return folder
    }
  }

  /// - Returns: `nil` if there was no space for so large a step, and a smaller one may do.
  private func foldStep(
    _ run: inout CompactionRun, through head: Position
  ) async throws -> (step: Folder.Step?, head: Position)? {
    var folder = run.folder
    let limit = setup.hooks.sliceEventCount ?? run.pace.eventCount
    do {
      let result = try await stepping(run.turn) {
        (store) throws(LedgerError) -> (step: Folder.Step?, folder: Folder, head: Position) in
        let step = try folder.step(of: store, through: head, limit: limit)
        return (step, folder, try store.head())
      }
      run.folder = result.folder
      return (result.step, result.head)
    } catch let error as LedgerError where error.code == .ledgerFull {
      guard run.pace.shrink() else { throw error }
      return nil
    }
  }

  // MARK: Records

  /// How many events remove records before these are folded: the log must not grow by all that leaves.
  private static let removalsPerFold = 100

  private func removeRecords(
    _ run: inout CompactionRun, _ policy: CompactionPolicy, _ now: Timestamp,
    _ progress: @Sendable (CompactionProgress) -> Void
  ) async throws {
    while run.report.problem == nil {
      let removedCount = run.report.removedRecords
      @Sendable func tell() {
        progress(CompactionProgress(phase: .removing, done: removedCount, total: removedCount))
      }
      // Whatever removals there are were folded, and what changes later is looked at by the command.
      let plan = try await stepping(run.turn) { (store) throws(LedgerError) in
        try catchUp(store, rebases: true)
        replica.dropFolded(begins: true)
        return try RetentionPlan(
          LedgerState(snapshot: SnapshotReader(store)), endedBy: policy.recordAge(now: now),
          eventLimit: Self.removalsPerFold, tell)
      }
      guard !plan.events.isEmpty else { return }
      let isDone = try await submit(plan, &run, progress)
      let head = try await stepping(run.turn) { (store) throws(LedgerError) in try store.head() }
      try await fold(&run, through: head) { _ in tell() }
      guard isDone else { return }
    }
  }

  /// - Returns: Whether all of the plan was carried out.
  private func submit(
    _ plan: RetentionPlan, _ run: inout CompactionRun,
    _ progress: @Sendable (CompactionProgress) -> Void
  ) async throws -> Bool {
    let total = run.report.removedRecords + plan.removedCount
    for event in plan.events {
      try Task.checkCancellation()
      let removedCount = try await submit(ApplyRetention(event, plannedAt: plan.position))
      guard let removedCount else { return false }
      run.report.removedRecords += removedCount
      progress(
        CompactionProgress(phase: .removing, done: run.report.removedRecords, total: total))
    }
    return true
  }

  // MARK: Events

  private func finishFold(_ run: inout CompactionRun) async throws {
    var folder = run.folder
    let summary = try await stepping(run.turn) { (store) throws(LedgerError) -> SnapshotSummary in
      try folder.markReadBack(of: store)
      return try store.snapshotSummary()
    }
    run.folder = folder
    run.report.snapshotPosition = summary.position
    run.report.stateDigest = summary.stateDigest
    run.report.logDigest = summary.logDigest
    run.report.deletedThrough = summary.deletedThrough
    // Or each compaction would leave an event for the next one.
    guard run.touchedRecords > 0 else { return }
    run.touchedRecords = 0
    let taken = SnapshotTaken(
      position: summary.position, recordCount: summary.counts.records,
      stateDigest: summary.stateDigest, logDigest: summary.logDigest)
    try await submit(RecordCompaction(snapshot: taken, deletion: nil))
  }

  /// The last event that is old enough to be deleted.
  private func agedEvents(
    _ policy: CompactionPolicy, _ age: AgeLimit, _ turn: CompactionLock.Turn
  ) async throws -> Position {
    var walk = try await stepping(turn) { (store) throws(LedgerError) in
      policy.agedEvents(
        age, after: try store.snapshotSummary().deletedThrough, head: try store.head())
    }
    while true {
      let known = walk
      let (isOver, next) = try await stepping(turn) {
        (store) throws(LedgerError) -> (Bool, AgedEvents) in
        var next = known
        return (try !next.next(of: store), next)
      }
      walk = next
      if isOver { return walk.last }
    }
  }

  private func deleteEvents(
    _ run: inout CompactionRun, _ policy: CompactionPolicy, _ now: Timestamp,
    _ progress: @Sendable (CompactionProgress) -> Void
  ) async throws {
    guard let age = policy.eventAge(now: now) else { return }
    let aged = try await agedEvents(policy, age, run.turn)
    var end = min(aged, run.plannedEnd ?? aged)
    let archivePath = try await archive(policy, through: &end, run.turn, progress)
    run.report.archivePath = archivePath ?? run.report.archivePath
    let deletedBefore = run.report.deletedEvents
    let before = try await stepping(run.turn) { (store) throws(LedgerError) in
      try store.usedByteCount()
    }
    while true {
      let step = try await stepping(run.turn) { [end] (store) throws(LedgerError) in
        try EventDeletion(store).step(through: end)
      }
      guard let step else { break }
      run.report.deletedEvents += step.eventCount
      run.report.deletedBytes += step.byteCount
      run.report.deletedThrough = step.through
      run.report.longestLock = max(run.report.longestLock, step.lock)
      progress(
        CompactionProgress(
          phase: .deleting, done: run.report.deletedEvents, total: run.report.deletedEvents))
    }
    guard run.report.deletedEvents > deletedBefore else { return }
    let after = try await stepping(run.turn) { (store) throws(LedgerError) in
      try store.usedByteCount()
    }
    let deleted = EventsDeleted(
      through: run.report.deletedThrough,
      eventCount: UInt64(run.report.deletedEvents - deletedBefore),
      byteCountBefore: UInt64(clamping: before),
      byteCountAfter: UInt64(clamping: after), isArchived: archivePath != nil)
    try await submit(RecordCompaction(snapshot: nil, deletion: deleted))
  }
}

/// Where a compaction stands.
private struct CompactionRun {
  let turn: CompactionLock.Turn
  /// The last event that the plan lets go.
  let plannedEnd: Position?
  /// Since it was recorded that a snapshot was taken.
  var touchedRecords = 0
  var report = CompactionReport()
  var pace = SlicePace()
  var folder = Folder()
}
