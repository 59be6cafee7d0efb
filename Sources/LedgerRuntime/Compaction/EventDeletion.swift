import LedgerBytes

/// Deletes events that the snapshot holds, one bounded step after the other.
package struct EventDeletion {
  /// What one step deleted.
  package struct Step: Sendable, Hashable {
    package var eventCount = 0
    package var byteCount = 0
    /// Events up to here are gone.
    package var through: Position
    /// How long other writers were locked out.
    package var lock = Duration.zero
  }

  /// The most events that one step deletes.
  package static let maximumEventCount = 10_000

  /// After so many changes of tables a step ends.
  private static let maximumChangeCount = 2_000
  /// After so many bytes of values that stand beside events a step ends.
  private static let maximumAttachmentByteCount = 4 << 20

  private let store: any EventStore
  private let patience: Patience

  package init(_ store: any EventStore, patience: Patience = Patience(.seconds(5))) {
    self.store = store
    self.patience = patience
  }

  /// Deletes the oldest events, whole frames of them; the newest frame of the log always stays.
  ///
  /// - Returns: `nil` if none may go.
  /// - Throws: `snapshotMoved` if somebody else deletes events meanwhile, or moves the snapshot.
  package func step(through end: Position) throws(LedgerError) -> Step? {
    let snapshot = try SnapshotReader(store)
    let plan: Plan
    do throws(LedgerError) {
      plan = try Self.plan(store, through: end, after: snapshot.summary.deletedLog, snapshot)
    } catch {
      throw error.code == .eventsCompacted ? .snapshotMoved : error
    }
    var step = plan.step
    guard step.eventCount > 0 else { return nil }
    var edit = SnapshotEdit(snapshot.summary)
    edit.new.deletedLog = plan.log
    edit.add(plan.changes)
    step.lock = try store.apply(edit, patience: patience)
    return step
  }

  /// What all steps together would delete, once all events are folded.
  ///
  /// - Parameter progress: Called now and then with the position reached.
  package static func count(
    in source: any LedgerSource, through end: Position,
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> Step {
    let snapshot = try SnapshotReader(source)
    var total = Step(through: snapshot.summary.deletedThrough)
    while true {
      let start = LogDigest(position: total.through, bytes: snapshot.summary.deletedLog.bytes)
      let step = try plan(source, through: end, after: start, snapshot, isDryRun: true).step
      guard step.eventCount > 0 else { return total }
      total.eventCount += step.eventCount
      total.byteCount += step.byteCount
      total.through = step.through
      progress(total.through)
    }
  }

  private typealias Plan = (step: Step, changes: [TableChange], log: LogDigest)

  /// What a step would delete.
  private static func plan(
    _ source: any EventSource, through end: Position, after start: LogDigest,
    _ snapshot: SnapshotReader, isDryRun: Bool = false
  ) throws(LedgerError) -> Plan {
    let summary = snapshot.summary
    let end = isDryRun ? end : min(end, summary.readBackThrough)
    let head = try source.head()
    var step = Step(through: start.position)
    var log = start
    var changes: [TableChange] = []
    var isOver = false
    var attachmentByteCount = 0
    _ = try source.read(after: start.position, limit: Self.maximumEventCount) {
      (frame) throws(LedgerError) in
      let header = frame.header
      guard !isOver, header.lastPosition <= end, header.lastPosition < head,
        changes.count < maximumChangeCount, attachmentByteCount < maximumAttachmentByteCount
      else {
        isOver = true
        return
      }
      var attachments: [TableChange] = []
      var next = log
      try frame.forEachEvent { event throws(LedgerError) in
        guard !isDryRun else { return }
        attachmentByteCount += event.attachmentByteCount
        attachments += try deletionOfAttachment(event, snapshot)
        next.append(event, of: header.commit, attachment: try source.attachment(of: event))
      }
      changes.append(TableChange(.log, header.firstPosition.bigEndianBytes, nil))
      changes += attachments
      step.eventCount += header.eventCount
      step.byteCount += header.byteCount
      step.through = header.lastPosition
      log = next
    }
    return (step, changes, log)
  }

  /// Deletes what stands beside an event, unless the record of its subject names it.
  private static func deletionOfAttachment(
    _ event: borrowing EventView, _ snapshot: SnapshotReader
  ) throws(LedgerError) -> [TableChange] {
    guard event.attachmentByteCount > 0 else { return [] }
    let attachment = AttachmentReference(
      position: event.position, byteCount: event.attachmentByteCount)
    let owned = try snapshot.entity(event.subject)?.attachments ?? []
    return owned.contains(attachment) ? [] : [TableChange(deleting: attachment)]
  }
}
