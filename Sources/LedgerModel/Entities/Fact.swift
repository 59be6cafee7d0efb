/// Who wrote an event, and when.
public struct Fact: Sendable, Hashable {
  /// The event.
  public let position: Position
  /// The writer's clock; for a timeout the deadline.
  public package(set) var time: Timestamp
  /// The writer.
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
