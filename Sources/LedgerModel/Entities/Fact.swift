/// The position, time and writer of an event.
public struct Fact: Sendable, Hashable {
  /// The position of the event.
  public let position: Position
  /// The writer's clock reading; for a timeout, the deadline.
  public package(set) var time: Timestamp
  /// The session that wrote the event.
  public let session: SessionID
}

extension Fact {
  @inline(__always)
  init(_ event: borrowing EventView) {
    position = event.position
    time = event.time
    session = event.session
  }
}
