/// A piece of the log, replayed over the snapshot: what has to change for the snapshot to hold it.
package struct FoldSlice: Sendable {
  /// What has to change.
  package private(set) var edit: SnapshotEdit
  /// How many events it holds.
  package private(set) var eventCount = 0
  /// Why the event after the slice cannot be folded.
  package private(set) var problem: LedgerError?

  private var state: LedgerState
  private var retention: RetentionApplied?
  private var isOver = false

  private init(_ snapshot: SnapshotReader) {
    edit = SnapshotEdit(snapshot.summary)
    state = LedgerState(snapshot: snapshot)
  }

  /// Replays the events after the snapshot.
  ///
  /// It ends before an event that this build does not understand, that does not make sense, or that is
  /// damaged; and before and after a removal of records, which is a slice of its own.
  ///
  /// - Parameters:
  ///   - store: Where the events are.
  ///   - snapshot: The snapshot as it is now.
  ///   - end: The last event to be folded.
  ///   - limit: The most events of the slice.
  package static func next(
    of store: any EventStore, from snapshot: SnapshotReader, through end: Position, limit: Int
  ) throws(LedgerError) -> FoldSlice {
    var slice = FoldSlice(snapshot)
    do throws(LedgerError) {
      _ = try store.read(after: snapshot.position, limit: limit) { (frame) throws(LedgerError) in
        let commit = frame.header.commit
        try frame.forEachEvent(after: slice.edit.new.position) { event throws(LedgerError) in
          if event.position > end || slice.eventCount == limit { slice.isOver = true }
          if !slice.isOver { try slice.take(event, of: commit, store) }
        }
      }
    } catch {
      guard error.code == .corrupt || error.code == .incompatibleFormat else { throw error }
      slice.problem = error
    }
    try slice.finish(snapshot)
    return slice
  }

  private mutating func take(
    _ event: borrowing EventView, of commit: CommitID, _ store: any EventStore
  ) throws(LedgerError) {
    if event.kind == .retentionApplied {
      isOver = true
      guard eventCount == 0 else { return }
      retention = try? RetentionApplied(decoding: event.payloadBytes)
    }
    let byteCount = event.attachmentByteCount
    let attachment =
      byteCount == 0 ? [] : try store.attachment(of: event.position, byteCount: byteCount)
    try state.apply(event)
    if let problem = state.blocked.values.first {
      isOver = true
      retention = nil
      self.problem = problem.refusal(of: event.subject)
      return
    }
    edit.new.position = event.position
    edit.new.time = max(edit.new.time, event.time)
    edit.new.logDigest.append(event, of: commit, attachment: attachment)
    eventCount += 1
  }

  private mutating func finish(_ snapshot: SnapshotReader) throws(LedgerError) {
    edit.new.ledgerID = state.ledgerID
    if let retention {
      try remove(retention, snapshot)
    } else {
      try put(snapshot)
    }
    // Nothing of it is needed any more.
    state = LedgerState()
  }

  private mutating func put(_ snapshot: SnapshotReader) throws(LedgerError) {
    let entities = state.overlaid.sorted { $0.id < $1.id }
    for start in stride(from: 0, to: entities.count, by: SnapshotReader.sliceCount) {
      let slice = entities[start..<min(start + SnapshotReader.sliceCount, entities.count)]
      let stored = try snapshot.records(slice.map(\.id))
      for (entity, stored) in zip(slice, stored) { try edit.put(entity, replacing: stored) }
    }
  }

  private mutating func remove(
    _ retention: RetentionApplied, _ snapshot: SnapshotReader
  ) throws(LedgerError) {
    let kept = Set(retention.kept)
    var ids: [EntityID] = []
    try snapshot.forEachEntry(of: .closed, after: retention.after) {
      (entry) throws(LedgerError) in
      guard entry.position <= retention.horizon else { return false }
      if !kept.contains(entry.id) { ids.append(entry.id) }
      return true
    }
    ids.sort()
    for (id, stored) in zip(ids, try snapshot.records(ids)) {
      guard let stored else { throw SnapshotRecord.damaged(id, "it is missing") }
      try edit.remove(id, stored)
    }
    edit.new.horizon.extend(to: retention.horizon, retention.time)
  }
}
