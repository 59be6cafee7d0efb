/// Read-only access to a ledger, without a session, on the thread of the caller.
///
/// ``LedgerInspector`` is the same for asynchronous code.
package final class BlockingInspector: Sendable {
  package let store: any InspectedStore

  /// The ledger's id.
  package var id: LedgerID { store.metadata.ledgerID }

  /// The version of its file format.
  package var formatVersion: UInt32 { store.metadata.formatVersion }

  /// The time of its creation.
  package var createdAt: Timestamp { store.metadata.createdAt }

  package init(_ store: any InspectedStore) {
    self.store = store
  }

  /// Closes the files. Later calls throw ``LedgerError/Code/closed``; closing twice is harmless. An inspector
  /// also closes when its last reference is released.
  package func close() {
    store.close()
  }

  /// The position of the last event.
  ///
  /// - Throws: ``LedgerError`` with `closed`, `corrupt`, `ioFailure`.
  package var head: Position {
    get throws(LedgerError) { try store.head() }
  }

  /// The events after a position, about `limit` at most: the last frame is returned whole.
  ///
  /// - Returns: An empty array if no event follows `position`.
  /// - Throws: ``LedgerError`` with `corrupt` if the next event is damaged. A damaged event further on ends
  ///   the result, so no event before it is lost.
  package func events(
    after position: Position = .start, limit: Int = 1_000
  ) throws(LedgerError) -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    _ = try readEvents(after: position, limit: limit) { events.append(LedgerEvent(copying: $0)) }
    return events
  }

  /// Passes the events after a position to `body` in place, about `limit` at most: the last frame is passed whole.
  ///
  /// - Returns: The position of the last event that was passed; `position` if no event follows it.
  /// - Throws: As ``events(after:limit:)``.
  package func readEvents(
    after position: Position, limit: Int, _ body: (borrowing EventView) -> Void
  ) throws(LedgerError) -> Position {
    var last = position
    do throws(LedgerError) {
      _ = try store.read(after: position, limit: limit) { (frame) throws(LedgerError) in
        try frame.forEachEvent(after: position) { event in
          last = event.position
          body(event)
        }
      }
    } catch {
      guard error.code == .corrupt, last > position else { throw error }
    }
    return last
  }

  /// The value that is stored beside an event because it is large.
  ///
  /// - Throws: ``LedgerError`` with `corrupt` if it is damaged; with `eventsDeleted` if the event was
  ///   deleted meanwhile.
  package func attachment(of event: LedgerEvent) throws(LedgerError) -> [UInt8] {
    guard event.attachmentByteCount > 0 else { return [] }
    do throws(LedgerError) {
      return try store.attachment(of: event.position, byteCount: event.attachmentByteCount)
    } catch {
      // The event existed when it was read.
      let deleted = try store.snapshotSummary().deletedThrough
      guard error.code == .corrupt, event.position <= deleted else { throw error }
      throw .eventsDeleted(after: event.position, through: deleted)
    }
  }
}
