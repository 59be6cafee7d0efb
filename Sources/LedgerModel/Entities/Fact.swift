/// Who wrote an event, and when.
package struct Fact: Sendable, Hashable {
  package let position: Position
  package let time: Timestamp
  package let session: SessionID
}

extension Fact {
  @inline(__always)
  init(_ event: borrowing EventView) {
    position = event.position
    time = event.time
    session = event.session
  }
}
