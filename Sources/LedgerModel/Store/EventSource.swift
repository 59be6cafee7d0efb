/// What the events of a ledger can be read from, with or without a session.
package protocol EventSource {
  /// The position of the last event, as a fresh read sees it.
  func head() throws(LedgerError) -> Position

  /// Hands over the frames with events after `position`, in order.
  ///
  /// The first frame may begin at or before `position`.
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

  /// The attachment of the event at `position`.
  ///
  /// - Throws: `eventsCompacted` if it was deleted with its event; `corrupt`.
  func attachment(of position: Position, byteCount: Int) throws(LedgerError) -> [UInt8]
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
  /// Copies of the events after `position` up to `end`, at most about `limit`: the last frame is
  /// handed over whole.
  package func storedEvents(
    after position: Position, through end: Position, limit: Int
  ) throws(LedgerError) -> [StoredEvent] {
    var events: [StoredEvent] = []
    guard position < end else { return events }
    _ = try read(after: position, limit: limit) { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: position) { event in
        guard event.position <= end else { return }
        events.append(StoredEvent(copying: event, of: frame.header.commit))
      }
    }
    return events
  }
}
