/// A source of a ledger's events, with or without a session.
public protocol EventSource {
  /// Returns the position of the last event, from a fresh read.
  func head() throws(LedgerError) -> Position

  /// Passes the frames with events after `position` to `body`, in order.
  ///
  /// The first frame may begin at or before `position`. Nothing else is read from the source in the meantime.
  ///
  /// - Parameter limit: The read stops after the frame that reaches this number of events after `position`,
  ///   so that no read takes long.
  /// - Returns: The position of the last event passed on, or `position` if there is none.
  /// - Throws: `eventsDeleted` if events after `position` were deleted.
  func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position

  /// Returns the commit that wrote the event at `position`.
  ///
  /// - Returns: `nil` if the event was deleted, or the log ends before it.
  func commit(at position: Position) throws(LedgerError) -> CommitID?

  /// Returns the attachments of events, in order. Each fails individually: with `eventsDeleted` if it was
  /// deleted with its event, with `corrupt` if it is missing or damaged.
  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>]
}

extension EventSource {
  /// Reads the frame of the event.
  public func commit(at position: Position) throws(LedgerError) -> CommitID? {
    guard position > .start else { return nil }
    var commit: CommitID?
    do throws(LedgerError) {
      _ = try read(after: Position(rawValue: position.rawValue - 1), limit: 1) { frame in
        commit = frame.header.commit
      }
    } catch {
      guard error.code == .eventsDeleted else { throw error }
    }
    return commit
  }
}

package enum EventSlice {
  /// The maximum number of events in one read transaction: a longer transaction would keep freed pages from
  /// being reused.
  package static let eventCount = 10_000
}

extension EventSource {
  /// Returns copies of at most about `limit` events after `position` up to `end`, each with the value that is
  /// stored beside it. The copies end after the event at which the total size of these values reaches a
  /// limit.
  package func storedEvents(
    after position: Position, through end: Position, limit: Int,
    attachmentByteLimit: Int = AttachmentReference.groupByteCount
  ) throws(LedgerError) -> [(event: StoredEvent, attachment: Result<[UInt8], LedgerError>)] {
    var events: [StoredEvent] = []
    var wanted: [AttachmentReference] = []
    var byteCount = 0
    guard position < end else { return [] }
    _ = try read(after: position, limit: limit) { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: position) { event in
        guard event.position <= end, byteCount < attachmentByteLimit else { return }
        events.append(StoredEvent(copying: event, of: frame.header.commit))
        guard let attachment = AttachmentReference(event) else { return }
        byteCount += attachment.byteCount
        wanted.append(attachment)
      }
    }
    var found = (wanted.isEmpty ? [] : try attachments(wanted)).makeIterator()
    return events.map { event in
      let isAlone = event.view.attachmentByteCount == 0
      return (event, isAlone ? .success([]) : found.next() ?? .success([]))
    }
  }

  /// Returns the attachment of the event at `position`.
  ///
  /// - Throws: `eventsDeleted` if it was deleted with its event; `corrupt`.
  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    try attachments([AttachmentReference(position: position, byteCount: byteCount)])[0].get()
  }
}
