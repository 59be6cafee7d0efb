/// One compaction of a session's ledger, in short steps, between which others read and write.
///
/// Between any two steps it can be cancelled or killed, or wait while the session is frozen. The next
/// compaction continues where it ended.
struct Compaction {
  /// The number of removal events that are written before they are folded, so that the log does not grow with
  /// the number of removed records.
  private static let removalsPerFold = 100

  private let engine: LedgerEngine
  private let turn: CompactionTurn
  private let policy: CompactionPolicy
  private let now: Timestamp
  /// The last event that the plan allows to be deleted.
  private let plannedEnd: Position?
  private let progress: @Sendable (CompactionProgress) -> Void

  private var folder = Folder()
  private var pace = SlicePace()
  /// The number of records changed since the last `snapshotTaken`.
  private var touchedRecords = 0
  private var report = CompactionReport()

  /// - Parameter plan: The limit of the deletions; `nil` for everything that the policy allows.
  init(
    of engine: LedgerEngine, _ policy: CompactionPolicy, plan: CompactionPlan?, now: Timestamp,
    _ progress: @escaping @Sendable (CompactionProgress) -> Void
  ) {
    self.engine = engine
    self.policy = policy
    self.progress = progress
    turn = CompactionTurn(engine: engine)
    self.now = now
    plannedEnd = plan?.deletedThrough
  }

  /// Folds, removes records and deletes events, as the policy specifies.
  ///
  /// - Throws: `compactionBusy` if the ledger is being compacted already.
  mutating func run() async throws -> CompactionReport {
    defer { turn.end() }
    report.releasedReaders = try await turn.step { $0.reclaimFromTheDead() }
    var full: LedgerError?
    repeat {
      full = try await foldAll()
      try await recordSnapshot()
      // From a damaged ledger, nothing is deleted that could help to repair it.
      let deletesAny = report.problem == nil ? try await deleteEvents() : false
      // The space of deleted events may be enough to continue.
      if let full, !deletesAny { throw full }
    } while full != nil
    try await engine.withStore { store in _ = try engine.catchUp(store) }
    engine.replica.dropFolded(begins: true)
    return report
  }

  // MARK: Folding

  /// Folds all events, removes records, and folds the removals.
  ///
  /// - Returns: `ledgerFull` if there was no space for all of it.
  private mutating func foldAll() async throws -> LedgerError? {
    do {
      try await fold(as: .folding)
      if report.problem == nil { try await removeRecords() }
      return nil
    } catch let error as LedgerError where error.code == .ledgerFull {
      return error
    }
  }

  /// Folds the events that exist now, slice by slice.
  ///
  /// - Parameter phase: The phase to report: the folding of events, or the removal of records.
  private mutating func fold(as phase: CompactionProgress.Phase) async throws {
    let end = try await turn.step { (store) throws(LedgerError) in try store.head() }
    while report.problem == nil {
      guard let (step, head) = try await foldSlice(through: end) else { continue }
      guard let step else { return }
      take(step)
      let left = step.position.count(to: end)
      tell(phase, of: phase == .folding ? report.foldedEvents + left : report.removedRecords)
      let rest = pace.rest(
        after: step.duration, of: step.eventCount, wait: step.wait,
        tail: step.position.count(to: head))
      guard rest > .zero else { continue }
      // There is time for this now, and if the rest is cut short, nothing remains unread.
      try await turn.step { (store) throws(LedgerError) in try folder.readBack(in: store) }
      try await Task.sleep(for: rest)
    }
  }

  /// Folds the next slice while reading back the records of the previous one.
  ///
  /// - Returns: `nil` if there was not enough space for the slice, but a smaller one may fit.
  private mutating func foldSlice(
    through end: Position
  ) async throws -> (step: Folder.Step?, head: Position)? {
    let limit = engine.setup.hooks.sliceEventCount ?? pace.eventCount
    do {
      return try await turn.step { (store) throws(LedgerError) in
        (try folder.step(of: store, through: end, limit: limit), try store.head())
      }
    } catch let error as LedgerError where error.code == .ledgerFull {
      guard pace.shrink() else { throw error }
      return nil
    }
  }

  private mutating func take(_ step: Folder.Step) {
    pace.adapt(to: step.lock, isRandom: step.isRandom)
    touchedRecords += step.recordCount
    report.foldedEvents += step.eventCount
    report.longestLock = max(report.longestLock, step.lock)
    report.problem = step.problem?.message
    report.problemCode = step.problem?.code
  }

  // MARK: Removing records

  private mutating func removeRecords() async throws {
    var children = EndedChildren()
    while report.problem == nil {
      // All existing removals were folded, and the command checks for later changes.
      let plan = try await turn.step { (store) throws(LedgerError) in
        try engine.catchUp(store)
        engine.replica.dropFolded(begins: true)
        return try RetentionPlan(
          LedgerState(snapshot: SnapshotReader(store)), endedBy: policy.recordAge(now: now),
          eventLimit: Self.removalsPerFold, sharing: &children
        ) { tell(.removing, of: report.removedRecords) }
      }
      guard !plan.events.isEmpty else { return }
      let isDone = try await carryOut(plan)
      try await fold(as: .removing)
      guard isDone else { return }
    }
  }

  /// - Returns: Whether the plan was carried out completely.
  private mutating func carryOut(_ plan: RetentionPlan) async throws -> Bool {
    let total = report.removedRecords + plan.removedCount
    for event in plan.events {
      try Task.checkCancellation()
      let removedCount = try await engine.submit(ApplyRetention(event, plannedAt: plan.position))
      guard let removedCount else { return false }
      report.removedRecords += removedCount
      tell(.removing, of: total)
    }
    return true
  }

  // MARK: The snapshot

  /// Reads back the records that were not read back yet, and records that a snapshot was taken.
  private mutating func recordSnapshot() async throws {
    let summary = try await turn.step { (store) throws(LedgerError) in
      try folder.markReadBack(of: store)
      return try store.snapshotSummary()
    }
    report.snapshotPosition = summary.position
    report.stateDigest = summary.stateDigest
    report.logDigest = summary.logDigest
    report.deletedThrough = summary.deletedThrough
    report.unsupportedRecords = Int(clamping: summary.counts.opaque)
    // Otherwise each compaction would leave an event for the next one.
    guard touchedRecords > 0 else { return }
    touchedRecords = 0
    let taken = SnapshotTaken(
      position: summary.position, recordCount: summary.counts.records,
      stateDigest: summary.stateDigest, logDigest: summary.logDigest)
    try await engine.submit(RecordCompaction(snapshot: taken, deletion: nil))
  }

  // MARK: Deleting events

  /// Archives and deletes the events that are old enough, and records the deletion.
  ///
  /// - Returns: Whether any event was deleted.
  private mutating func deleteEvents() async throws -> Bool {
    guard let age = policy.eventAge(now: now) else { return false }
    let aged = try await lastAged(age)
    var end = min(aged, plannedEnd ?? aged)
    var archivePath: String?
    if let directory = policy.archiveDirectory {
      let archive = EventArchive(directory: directory, turn: turn, progress: progress)
      (archivePath, end) = try await archive.write(through: end)
      report.archivePath = archivePath ?? report.archivePath
    }
    let byteCountBefore = try await usedByteCount()
    var eventCount = 0
    while let step = try await turn.step({ (store) throws(LedgerError) in
      try EventDeletion(store).step(through: end)
    }) {
      eventCount += step.eventCount
      report.deletedEvents += step.eventCount
      report.deletedBytes += step.byteCount
      report.deletedThrough = step.through
      report.longestLock = max(report.longestLock, step.lock)
      tell(.deleting, of: report.deletedEvents)
    }
    guard eventCount > 0 else { return false }
    let deleted = EventsDeleted(
      through: report.deletedThrough, eventCount: UInt64(eventCount),
      byteCountBefore: byteCountBefore, byteCountAfter: try await usedByteCount(),
      isArchived: archivePath != nil)
    try await engine.submit(RecordCompaction(snapshot: nil, deletion: deleted))
    return true
  }

  /// The last event that is old enough to be deleted.
  private func lastAged(_ age: AgeLimit) async throws -> Position {
    var walk = try await turn.step { (store) throws(LedgerError) in
      policy.agedEvents(
        age, after: try store.snapshotSummary().deletedThrough, head: try store.head())
    }
    while try await turn.step({ (store) throws(LedgerError) in try walk.next(of: store) }) {}
    return walk.last
  }

  private func usedByteCount() async throws -> UInt64 {
    try await turn.step { (store) throws(LedgerError) in
      UInt64(clamping: try store.usedByteCount())
    }
  }

  // MARK: Telling

  /// - Parameter total: The total number of events or records, as far as it is known.
  private func tell(_ phase: CompactionProgress.Phase, of total: Int) {
    let done =
      switch phase {
      case .folding: report.foldedEvents
      case .removing: report.removedRecords
      case .archiving: 0
      case .deleting: report.deletedEvents
      }
    progress(CompactionProgress(phase: phase, done: done, total: total))
  }
}

extension LedgerEngine {
  /// Compacts on a dedicated thread, because each step blocks it for some milliseconds.
  func compact(
    _ policy: CompactionPolicy, plan: CompactionPlan?,
    _ progress: @escaping @Sendable (CompactionProgress) -> Void = { _ in }
  ) async throws -> CompactionReport {
    try await run(on: compactionExecutor) {
      let now = try await withStore { store in self.now(store) }
      var compaction = Compaction(
        of: self, policy, plan: plan, now: plan?.time ?? now, progress)
      return try await compaction.run()
    }
  }

  /// Runs `body` where compactions run. It starts over if the session froze meanwhile.
  package func runCompaction<R: Sendable>(
    _ body: @Sendable (any EventStore) throws -> R
  ) async throws -> R {
    try await run(on: compactionExecutor) { try await withStore(body) }
  }
}

extension Position {
  /// The number of events after this one, up to another.
  func count(to end: Position) -> Int {
    Int(clamping: end.rawValue - min(self, end).rawValue)
  }
}
