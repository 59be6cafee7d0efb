/// Moves a snapshot on, one bounded and checked step after the other.
///
/// One at a time may work on a ledger; a step that finds that it is not alone fails with
/// `snapshotMoved`.
package struct Folder: Sendable {
  /// What one step did.
  package struct Step: Sendable {
    package let eventCount: Int
    /// The snapshot position afterwards.
    package let position: Position
    /// Why the next event cannot be folded.
    package let problem: LedgerError?
    /// The records that were written and removed.
    package let recordCount: Int
    /// How long other writers were locked out.
    package let lock: Duration
    /// Whether most of these have ids in no order of time.
    package let isRandom: Bool
  }

  private let timeout: Duration
  /// Records up to here were read back by this process.
  private var verified: Position?

  /// - Parameter timeout: How long a step waits for a writer.
  package init(timeout: Duration = .seconds(5)) {
    self.timeout = timeout
  }

  /// Folds the next events.
  ///
  /// - Returns: `nil` if there are none.
  /// - Throws: `corrupt` if what was read back is not what was written; the read-back position then
  ///   stays, so that no event is deleted that the snapshot does not hold.
  package mutating func step(
    of store: any EventStore, through end: Position, limit: Int
  ) throws(LedgerError) -> Step? {
    let snapshot = try SnapshotReader(store)
    if verified != snapshot.position { try checkUnread(snapshot, store) }
    verified = snapshot.position
    let slice = try FoldSlice.next(of: store, from: snapshot, through: end, limit: limit)
    guard slice.eventCount > 0 else {
      guard let problem = slice.problem else { return nil }
      return Step(
        eventCount: 0, position: snapshot.position, problem: problem, recordCount: 0,
        lock: .zero, isRandom: false)
    }
    var edit = slice.edit
    // Every step but the newest was read back.
    edit.new.readBackThrough = edit.old.position
    let lock = try store.apply(edit, patience: Patience(timeout))
    try readBack(edit, of: store)
    verified = edit.new.position
    let touched = edit.touched
    return Step(
      eventCount: slice.eventCount, position: edit.new.position, problem: slice.problem,
      recordCount: touched.count, lock: lock,
      isRandom: 2 * touched.count(where: { $0.id.time == nil }) > touched.count)
  }

  /// Reads every record that a step touched in a fresh view, and compares it with what was computed.
  package func readBack(
    _ edit: SnapshotEdit, of store: any EventStore
  ) throws(LedgerError) {
    let reader = try SnapshotReader(store)
    let touched = edit.touched
    for start in stride(from: 0, to: touched.count, by: SnapshotReader.sliceCount) {
      let slice = touched[start..<min(start + SnapshotReader.sliceCount, touched.count)]
      for (expected, found) in zip(slice, try reader.records(slice.map(\.id))) {
        let found = found.map { SnapshotEdit.Record(kind: $0.kind, content: $0.content) }
        guard found == expected.record else {
          throw SnapshotRecord.damaged(expected.id, "it is not what was written")
        }
      }
    }
  }

  /// Says, durably, that everything in the snapshot was read back.
  ///
  /// - Precondition: ``readBack(_:of:)`` passed for the newest step.
  package mutating func markReadBack(of store: any EventStore) throws(LedgerError) {
    let snapshot = try SnapshotReader(store)
    let summary = snapshot.summary
    guard summary.readBackThrough < summary.position else { return }
    if verified != summary.position { try checkUnread(snapshot, store) }
    verified = summary.position
    var edit = SnapshotEdit(summary)
    edit.new.readBackThrough = summary.position
    try store.apply(edit, patience: Patience(timeout))
  }

  /// Reads the records of a step whose process died before it could.
  ///
  /// Its events are still in the log: the record of every subject must be there, be whole, and hold the
  /// newest of them, unless records were removed meanwhile.
  private func checkUnread(
    _ snapshot: SnapshotReader, _ store: any EventStore
  ) throws(LedgerError) {
    let summary = snapshot.summary
    guard summary.readBackThrough < summary.position else { return }
    var newest: [EntityID: Position] = [:]
    var hasRemovals = false
    var position = summary.readBackThrough
    while position < summary.position {
      let last = try store.read(after: position, limit: 10_000) { (frame) throws(LedgerError) in
        try frame.forEachEvent(after: position) { event throws(LedgerError) in
          guard event.position <= summary.position else { return }
          hasRemovals = hasRemovals || event.kind == .retentionApplied
          if event.kind.hasRecord { newest[event.subject] = event.position }
        }
      }
      guard last > position else { break }
      position = last
    }
    for (id, position) in newest {
      guard let entity = try snapshot.entity(id) else {
        if hasRemovals { continue }
        throw SnapshotRecord.damaged(id, "it is missing")
      }
      guard entity.lastPosition == position else {
        throw SnapshotRecord.damaged(id, "it does not hold the event at position \(position)")
      }
    }
  }
}

extension EventKind {
  /// Whether the subject of the event has a record in the snapshot.
  var hasRecord: Bool {
    switch self {
    case .ledgerCreated, .snapshotTaken, .retentionApplied, .eventsCompacted: false
    default: true
    }
  }
}
