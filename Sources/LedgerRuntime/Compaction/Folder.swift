import LedgerSystem

/// Advances a snapshot in bounded and checked steps.
///
/// Only one folder at a time may work on a ledger; a step that detects another one fails with
/// `snapshotMoved`.
package struct Folder: Sendable {
  /// The results of one step.
  package struct Step: Sendable {
    package let eventCount: Int
    /// The snapshot position after the step.
    package let position: Position
    /// The reason why the next event cannot be folded.
    package let problem: LedgerError?
    /// The number of records that were written and removed.
    package let recordCount: Int
    /// The time for which other writers were locked out.
    package let lock: Duration
    /// The time that the step waited for other writers.
    package var wait = Duration.zero
    /// The duration of the step without that wait.
    package var duration = Duration.zero
    /// Whether most of these records have ids that are not ordered by time.
    package let isRandom: Bool
  }

  private let timeout: Duration
  /// The position up to which this process has read back records.
  private var verified: Position?
  /// The records that the newest step wrote, until they are read back.
  private var unread: ReadBack?

  /// - Parameter timeout: The maximum time that a step waits for a writer.
  package init(timeout: Duration = .seconds(5)) {
    self.timeout = timeout
  }

  /// Folds the next events, and meanwhile reads back the records of the previous step.
  ///
  /// - Returns: `nil` if there are no events.
  /// - Throws: `corrupt` if the written records did not read back unchanged; the read-back position then
  ///   stays, so that no event is deleted that the snapshot does not hold.
  package mutating func step(
    of store: any EventStore, through end: Position, limit: Int
  ) throws(LedgerError) -> Step? {
    let start = MonotonicClock.now
    let snapshot = try SnapshotReader(store)
    let slice = try readingBack(snapshot, of: store) { () throws(LedgerError) in
      try FoldSlice.next(of: store, from: snapshot, through: end, limit: limit)
    }
    guard slice.eventCount > 0 else {
      guard let problem = slice.problem else { return nil }
      return Step(
        eventCount: 0, position: snapshot.position, problem: problem, recordCount: 0,
        lock: .zero, isRandom: false)
    }
    var edit = slice.edit
    // Every step but the newest was read back.
    edit.new.readBackThrough = edit.old.position
    let changes = edit.sortedChanges
    let writing = MonotonicClock.now
    let lock = try store.changeSnapshot(
      changes, from: edit.old, to: edit.new, patience: Patience(timeout))
    let wait = MonotonicClock.now - writing - lock
    unread = ReadBack(changes, at: edit.new.position)
    return Step(
      eventCount: slice.eventCount, position: edit.new.position, problem: slice.problem,
      recordCount: edit.recordCount, lock: lock, wait: wait,
      duration: MonotonicClock.now - start - wait,
      isRandom: 2 * edit.randomRecordCount > edit.recordCount)
  }

  /// Reads back the records of the newest step.
  ///
  /// - Throws: `corrupt` if they are not as written.
  package mutating func readBack(in store: any EventStore) throws(LedgerError) {
    guard unread != nil else { return }
    try readingBack(SnapshotReader(store), of: store) {}
  }

  /// Reads back the records of the newest step, and notes durably that everything in the snapshot was read
  /// back.
  ///
  /// - Throws: `corrupt` if they are not as written.
  package mutating func markReadBack(of store: any EventStore) throws(LedgerError) {
    let snapshot = try SnapshotReader(store)
    let summary = snapshot.summary
    try readingBack(snapshot, of: store) {}
    guard summary.readBackThrough < summary.position else { return }
    var edit = SnapshotEdit(summary)
    edit.new.readBackThrough = summary.position
    try store.apply(edit, patience: Patience(timeout))
  }

  /// Runs `body` while the records that were not read back yet are read back.
  private mutating func readingBack<R>(
    _ snapshot: SnapshotReader, of store: any EventStore, while body: () throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    // A step that another process continued from is checked like that of a process that died.
    if let unread, unread.position >= snapshot.position {
      let result = try unread.check(in: store, while: body)
      self.unread = nil
      verified = snapshot.position
      return result
    }
    unread = nil
    if verified != snapshot.position { try checkUnread(snapshot, store) }
    verified = snapshot.position
    return try body()
  }

  /// Reads back the records of a step whose process died before it did so.
  ///
  /// Its events are still in the log: the record of every subject must exist, be whole, and hold the newest
  /// event, unless records were removed meanwhile. It must also be in its lists.
  private func checkUnread(
    _ snapshot: SnapshotReader, _ store: any EventStore
  ) throws(LedgerError) {
    let summary = snapshot.summary
    guard summary.readBackThrough < summary.position else { return }
    var newest: [EntityID: Position] = [:]
    /// The entities whose state a later version determined, so it is unknown.
    var unsupported: Set<EntityID> = []
    var hasRemovals = false
    var position = summary.readBackThrough
    while position < summary.position {
      let last = try store.read(after: position, limit: EventSlice.eventCount) {
        (frame) throws(LedgerError) in
        try frame.forEachEvent(after: position) { event throws(LedgerError) in
          guard event.position <= summary.position else { return }
          hasRemovals = hasRemovals || event.kind == .retentionApplied
          if event.kind.hasRecord { newest[event.subject] = event.position }
          if event.kind.subject == nil { unsupported.insert(event.subject) }
        }
      }
      guard last > position else { break }
      position = last
    }
    for ids in newest.keys.sorted().slices(of: SnapshotReader.sliceCount) {
      var lists: [TableChange] = []
      for (id, entity) in zip(ids, try snapshot.entities(ids)) {
        guard let entity else {
          if hasRemovals || unsupported.contains(id) { continue }
          throw SnapshotRecord.damaged(id, "it is missing")
        }
        guard entity.lastPosition == newest[id] || unsupported.contains(id) else {
          throw SnapshotRecord.damaged(
            id, "it does not hold the event at position \(newest[id] ?? .start)")
        }
        lists += entity.openEntries.map { TableChange(.open, $0.key, $0.stored) }
      }
      // Lists of stale promises, deadlines and recovery depend on them.
      guard let missing = try snapshot.firstMissing(of: lists[...]) else { continue }
      throw SnapshotRecord.damaged(missing.subject, "it is not in its lists")
    }
  }
}
