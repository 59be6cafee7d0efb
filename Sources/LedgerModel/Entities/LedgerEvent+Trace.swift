extension LedgerEvent {
  /// The position, time and writer of an event.
  public struct Trace: Sendable, Hashable {
    /// The event.
    public let position: Position
    /// The writer's clock reading; for a timeout, the deadline.
    public package(set) var time: Timestamp
    /// The session that wrote the event.
    public let session: SessionID
  }
}

extension LedgerEvent.Trace {
  @inline(__always)
  init(_ event: borrowing EventView) {
    position = event.position
    time = event.time
    session = event.session
  }
}
