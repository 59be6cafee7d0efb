/// A section of the log, replayed over the snapshot, with the changes that bring the snapshot up to its end.
package struct FoldSlice: Sendable {
  /// The changes to the snapshot.
  package private(set) var edit: SnapshotEdit
  /// The number of events in the slice.
  package private(set) var eventCount = 0
  /// The reason why the event after the slice cannot be folded.
  package private(set) var problem: LedgerError?

  private var state: LedgerState
  /// The subjects of the events, in the order of their ids.
  private let subjects: [EntityID]
  private var retention: RetentionApplied?
  private var isOver = false
  /// The size of the values that are stored beside the events.
  private var attachmentByteCount = 0

  private init(_ snapshot: SnapshotReader, _ subjects: [EntityID]) {
    self.subjects = subjects
    edit = SnapshotEdit(snapshot.summary)
    state = LedgerState(snapshot: snapshot)
  }

  /// Replays the events after the snapshot.
  ///
  /// The slice ends before an event that is damaged, that this build does not understand, or that contradicts
  /// itself or the history of its subject. It also ends before and after a removal of records, which forms a
  /// slice of its own.
  ///
  /// - Parameters:
  ///   - store: The store of the events.
  ///   - snapshot: The current snapshot.
  ///   - end: The last event to be folded.
  ///   - limit: The maximum number of events in the slice.
  package static func next(
    of store: any EventStore, from snapshot: SnapshotReader, through end: Position, limit: Int
  ) throws(LedgerError) -> FoldSlice {
    var request = ViewRequest(eventsAfter: snapshot.position)
    request.eventLimit = limit
    let log = try store.view(request)
    let wanted = try Wanted(log.frames, after: snapshot.position, through: end, limit: limit)
    request = ViewRequest()
    request.needs.ids = wanted.subjects
    request.attachments = wanted.attachments
    let view = try store.view(request)
    guard view.excerpt.summary == snapshot.summary else { throw .snapshotMoved }
    let snapshot = snapshot.knowing(view.excerpt)
    var slice = FoldSlice(snapshot, wanted.subjects.sorted())
    do throws(LedgerError) {
      try slice.take(log, through: end, limit: limit, view)
    } catch {
      guard error.isDamage else { throw error }
      slice.problem = error
    }
    try slice.finish(snapshot)
    return slice
  }

  /// The items that are needed to replay the events.
  private struct Wanted {
    var subjects: Set<EntityID> = []
    var attachments: [AttachmentReference] = []

    init(
      _ frames: FrameList, after position: Position, through end: Position, limit: Int
    ) throws(LedgerError) {
      var eventCount = 0
      var byteCount = 0
      try frames.forEachFrame { (frame) throws(LedgerError) in
        try frame.forEachEvent(after: position) { event in
          guard event.position <= end, eventCount < limit,
            byteCount < AttachmentReference.groupByteCount
          else { return }
          eventCount += 1
          subjects.insert(event.subject)
          guard let attachment = AttachmentReference(event) else { return }
          byteCount += attachment.byteCount
          attachments.append(attachment)
        }
      }
    }
  }

  /// Takes events until the slice is complete.
  ///
  /// - Throws: The error that prevents reading the next event.
  private mutating func take(
    _ log: StoreView, through end: Position, limit: Int, _ view: StoreView
  ) throws(LedgerError) {
    try log.frames.forEachFrame { (frame) throws(LedgerError) in
      let commit = frame.header.commit
      try frame.forEachEvent(after: edit.new.position) { event throws(LedgerError) in
        if event.position > end || eventCount == limit { isOver = true }
        if !isOver { try take(event, of: commit, view) }
      }
    }
    if !isOver, let problem = log.problem { throw problem }
  }

  private mutating func take(
    _ event: borrowing EventView, of commit: CommitID, _ view: StoreView
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
    let attachment = byteCount == 0 ? [] : try view.attachment(of: event.position)
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
    if attachmentByteCount >= AttachmentReference.groupByteCount { isOver = true }
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
    // The state is no longer needed.
    state = LedgerState()
  }

  private mutating func put(_ snapshot: SnapshotReader) throws(LedgerError) {
    // The other subjects have events only after the slice.
    let changed = subjects.filter(state.isOverlaid)
    for slice in changed.slices(of: SnapshotReader.sliceCount) {
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
      guard let stored else { throw entry.withoutRecord }
      try entry.check(try edit.remove(entry.id, stored))
    }
    edit.new.horizon.extend(to: retention.horizon, retention.time)
  }
}
