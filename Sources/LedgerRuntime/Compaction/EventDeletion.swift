import LedgerBytes

/// Deletes events that the snapshot holds, in bounded steps.
package struct EventDeletion {
  /// The results of one step.
  package struct Step: Sendable, Hashable {
    package var eventCount = 0
    package var byteCount = 0
    /// The position up to which events are deleted.
    package var through: Position
    /// The time for which other writers were locked out.
    package var lock = Duration.zero
  }

  /// The maximum number of events that one step deletes.
  package static let maximumEventCount = 10_000

  /// The number of table changes after which a step ends.
  private static let maximumChangeCount = 2_000
  private let store: any EventStore
  private let patience: Patience

  package init(_ store: any EventStore, patience: Patience = Patience(.seconds(5))) {
    self.store = store
    self.patience = patience
  }

  /// Deletes the oldest events, whole frames of them; the newest frame of the log always stays.
  ///
  /// - Returns: `nil` if none may be deleted.
  /// - Throws: `snapshotMoved` if another process deletes events or moves the snapshot meanwhile.
  package func step(through end: Position) throws(LedgerError) -> Step? {
    let snapshot = try SnapshotReader(store)
    var step: Step
    var edit = SnapshotEdit(snapshot.summary)
    do throws(LedgerError) {
      let frames = try Frames(store, through: end, of: snapshot.summary)
      guard !frames.list.isEmpty else { return nil }
      step = frames.step
      try Self.delete(frames, by: &edit, snapshot, store)
    } catch {
      throw error.code == .eventsDeleted ? .snapshotMoved : error
    }
    step.lock = try store.apply(edit, patience: patience)
    return step
  }

  /// Counts the events that all steps together would delete, once all events are folded.
  ///
  /// - Parameter progress: Called periodically with the position reached.
  package static func count(
    in source: any LedgerSource, through end: Position,
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> Step {
    var total = Step(through: try source.snapshotSummary().deletedThrough)
    let head = try source.head()
    while true {
      let start = total.through
      var isOver = false
      _ = try source.read(after: start, limit: maximumEventCount) { frame in
        isOver = isOver || !frame.header.canBeDeleted(through: end, head: head)
        if !isOver { total.add(frame.header) }
      }
      guard total.through > start else { return total }
      progress(total.through)
    }
  }

  /// The frames that one step deletes.
  private struct Frames {
    var list = FrameList()
    var step: Step
    /// The attachments of their events, with the subjects whose records may refer to them.
    var attachments: [AttachmentReference] = []
    var subjects: Set<EntityID> = []

    init(
      _ store: any EventStore, through end: Position, of summary: SnapshotSummary
    ) throws(LedgerError) {
      step = Step(through: summary.deletedThrough)
      let end = min(end, summary.readBackThrough)
      let head = try store.head()
      var (isOver, changeCount, byteCount) = (false, 0, 0)
      _ = try store.read(after: step.through, limit: maximumEventCount) {
        (frame) throws(LedgerError) in
        isOver =
          isOver || !frame.header.canBeDeleted(through: end, head: head)
          || changeCount >= maximumChangeCount || byteCount >= AttachmentReference.groupByteCount
        guard !isOver else { return }
        try frame.forEachEvent { event in
          guard let attachment = AttachmentReference(event) else { return }
          attachments.append(attachment)
          subjects.insert(event.subject)
          byteCount += attachment.byteCount
          changeCount += 1
        }
        changeCount += 1
        list.append(frame)
        step.add(frame.header)
      }
    }
  }

  private static func delete(
    _ frames: Frames, by edit: inout SnapshotEdit, _ snapshot: SnapshotReader,
    _ store: any EventStore
  ) throws(LedgerError) {
    var request = ViewRequest()
    request.needs.ids = frames.subjects
    request.attachments = frames.attachments
    let view = try store.view(request)
    guard view.excerpt.summary == snapshot.summary else { throw .snapshotMoved }
    let owners = SnapshotReader(view.excerpt)
    // An attachment that a record refers to stays.
    var owned: Set<AttachmentReference> = []
    for entity in try owners.entities(frames.subjects) {
      owned.formUnion(entity?.attachments ?? [])
    }
    var log = snapshot.summary.deletedLog
    try frames.list.forEachFrame { (frame) throws(LedgerError) in
      let header = frame.header
      try frame.forEachEvent { event throws(LedgerError) in
        let attachment = AttachmentReference(event)
        let content = attachment == nil ? [] : try view.attachment(of: event.position)
        log.append(event, of: header.commit, attachment: content)
        guard let attachment, !owned.contains(attachment) else { return }
        edit.add([TableChange(deleting: attachment)])
      }
      edit.add([TableChange(.log, header.firstPosition.bigEndianBytes, nil)])
    }
    edit.new.deletedLog = log
  }
}

extension EventDeletion.Step {
  /// Adds a frame.
  fileprivate mutating func add(_ header: FrameHeader) {
    eventCount += header.eventCount
    byteCount += header.byteCount
    through = header.lastPosition
  }
}

extension FrameHeader {
  fileprivate func canBeDeleted(through end: Position, head: Position) -> Bool {
    lastPosition <= end && lastPosition < head
  }
}
