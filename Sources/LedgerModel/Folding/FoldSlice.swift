/// A piece of the log, replayed over the snapshot: what has to change for the snapshot to hold it.
package struct FoldSlice: Sendable {
  /// What has to change.
  package private(set) var edit: SnapshotEdit
  /// How many events it holds.
  package private(set) var eventCount = 0
  /// Why the event after the slice cannot be folded.
  package private(set) var problem: LedgerError?

  private var state: LedgerState
  /// What its events are about, in the order of ids.
  private let subjects: [EntityID]
  private var retention: RetentionApplied?
  private var isOver = false
  /// Of the values that stand beside its events.
  private var attachmentByteCount = 0

  /// After so many bytes of values that stand beside events a slice ends.
  private static let maximumAttachmentByteCount = 4 << 20

  private init(_ snapshot: SnapshotReader, _ subjects: [EntityID]) {
    self.subjects = subjects
    edit = SnapshotEdit(snapshot.summary)
    state = LedgerState(snapshot: snapshot)
  }

  /// Replays the events after the snapshot.
  ///
  /// It ends before an event that this build does not understand, that does not make sense, by itself or
  /// in the life of its subject, or that is damaged; and before and after a removal of records, which is
  /// a slice of its own.
  ///
  /// - Parameters:
  ///   - store: Where the events are.
  ///   - snapshot: The snapshot as it is now.
  ///   - end: The last event to be folded.
  ///   - limit: The most events of the slice.
  package static func next(
    of store: any EventStore, from snapshot: SnapshotReader, through end: Position, limit: Int
  ) throws(LedgerError) -> FoldSlice {
    let subjects = try subjects(
      of: store, after: snapshot.position, through: end, limit: limit)
    let snapshot = try snapshot.preloading(subjects)
    var slice = FoldSlice(snapshot, subjects)
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

  /// The subjects of the events, each once and in order.
  ///
  /// What it leaves out is read later: so damage, which the replay meets again, is no error here.
  private static func subjects(
    of store: any EventStore, after position: Position, through end: Position, limit: Int
  ) throws(LedgerError) -> [EntityID] {
    var subjects: [EntityID] = []
    do throws(LedgerError) {
      _ = try store.read(after: position, limit: limit) { (frame) throws(LedgerError) in
        try frame.forEachEvent(after: position) { event in
          if event.position <= end, subjects.count < limit { subjects.append(event.subject) }
        }
      }
    } catch {
      guard error.code == .corrupt || error.code == .incompatibleFormat else { throw error }
    }
    subjects.sort()
    var distinct: [EntityID] = []
    distinct.reserveCapacity(subjects.count)
    for subject in subjects where subject != distinct.last { distinct.append(subject) }
    return distinct
  }

  private mutating func take(
    _ event: borrowing EventView, of commit: CommitID, _ store: any EventStore
  ) throws(LedgerError) {
    if event.kind == .retentionApplied {
      isOver = true
      guard eventCount == 0 else { return }
      retention = try? RetentionApplied(decoding: event.payloadBytes)
    }
    if let what = EventContradiction.ofPlace(
      event.position, kind: event.kind, cause: event.cause) ?? EventContradiction.ofKey(event)
    {
      stop(ReplayProblem(.illegalTransition(what), at: event.position), event.subject)
      return
    }
    let byteCount = event.attachmentByteCount
    let attachment =
      byteCount == 0 ? [] : try store.attachment(of: event.position, byteCount: byteCount)
    try state.apply(event)
    if let problem = state.blocked.values.first {
      stop(problem, event.subject)
      return
    }
    edit.new.position = event.position
    edit.new.time = max(edit.new.time, event.time)
    edit.new.logDigest.append(event, of: commit, attachment: attachment)
    eventCount += 1
    attachmentByteCount += byteCount
    if attachmentByteCount >= Self.maximumAttachmentByteCount { isOver = true }
  }

  /// Ends the slice before an event that cannot be folded.
  private mutating func stop(_ problem: ReplayProblem, _ subject: EntityID) {
    isOver = true
    retention = nil
    self.problem = problem.refusal(of: subject)
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
    // The others have events after the slice only.
    let changed = subjects.filter(state.isOverlaid)
    for start in stride(from: 0, to: changed.count, by: SnapshotReader.sliceCount) {
      let slice = changed[start..<min(start + SnapshotReader.sliceCount, changed.count)]
      for (id, stored) in zip(slice, try snapshot.records(slice)) {
        if let entity = state.overlaid(id) { try edit.put(entity, replacing: stored) }
      }
    }
  }

  private mutating func remove(
    _ retention: RetentionApplied, _ snapshot: SnapshotReader
  ) throws(LedgerError) {
    let kept = Set(retention.kept)
    var entries: [OpenEntry] = []
    try snapshot.forEachEntry(of: .closed, after: retention.after) {
      (entry) throws(LedgerError) in
      guard entry.position <= retention.horizon else { return false }
      if !kept.contains(entry.id) { entries.append(entry) }
      return true
    }
    entries.sort { $0.id < $1.id }
    for (entry, stored) in zip(entries, try snapshot.records(entries.map(\.id))) {
      let entity = try stored.map { (stored) throws(LedgerError) in
        try edit.remove(entry.id, stored)
      }
      _ = try entry.checked(entity)
    }
    edit.new.horizon.extend(to: retention.horizon, retention.time)
  }
}
