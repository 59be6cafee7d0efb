/// What the events of a ledger can be read from, with or without a session.
package protocol EventSource {
  /// The position of the last event, as a fresh read sees it.
  func head() throws(LedgerError) -> Position

  /// Hands over the frames with events after `position`, in order.
  ///
  /// The first frame may begin at or before `position`. Nothing else is read of the source meanwhile.
  ///
  /// - Parameter limit: Stops after the frame that reaches this number of events after `position`, so
  ///   that no read lasts long.
  /// - Returns: The position of the last event handed over, or `position` if there is none.
  /// - Throws: `eventsCompacted` if events after `position` were deleted.
  func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position

  /// Which commit wrote the event at `position`.
  ///
  /// - Returns: `nil` if it was deleted, or the log ends before.
  func commit(at position: Position) throws(LedgerError) -> CommitID?

  /// The attachments of events, in their order. Each fails by itself: with `eventsCompacted` if it was
  /// deleted with its event, with `corrupt` if it is missing or damaged.
  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>]
}

extension EventSource {
  package func commit(at position: Position) throws(LedgerError) -> CommitID? {
    guard position > .start else { return nil }
    var commit: CommitID?
    do throws(LedgerError) {
      _ = try read(after: Position(rawValue: position.rawValue - 1), limit: 1) { frame in
        commit = frame.header.commit
      }
    } catch {
      guard error.code == .eventsCompacted else { throw error }
    }
    return commit
  }
}

package enum EventSlice {
  /// The most events of one read transaction: a longer one keeps freed pages from being used again.
  package static let eventCount = 10_000
}

extension EventSource {
  /// Copies of the events after `position` up to `end`, each with what is stored beside it: at most about
  /// `limit` of them. They end after the one with which these values reach a size.
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

  /// The attachment of the event at `position`.
  ///
  /// - Throws: `eventsCompacted` if it was deleted with its event; `corrupt`.
  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    try attachments([AttachmentReference(position: position, byteCount: byteCount)])[0].get()
  }
}
