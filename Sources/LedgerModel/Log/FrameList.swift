/// Copies of frames that were checked when they were read, in their order.
package struct FrameList: Sendable {
  private var bytes: [UInt8] = []
  /// Where each frame ends.
  private var ends: [Int] = []

  package init() {}

  package private(set) var eventCount = 0

  package var isEmpty: Bool { ends.isEmpty }

  package mutating func append(_ frame: borrowing FrameView) {
    frame.append(to: &bytes)
    ends.append(bytes.count)
    eventCount += frame.header.eventCount
  }

  /// Hands over every frame, in order.
  ///
  /// - Throws: What `body` throws.
  package func forEachFrame(
    _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var start = 0
    for end in ends {
      try body(FrameView(checked: bytes.span.extracting(start..<end)))
      start = end
    }
  }

  /// What the events after `position` are about, each once.
  package func subjects(after position: Position) throws(LedgerError) -> Set<EntityID> {
    var subjects: Set<EntityID> = []
    try forEachFrame { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: position) { event in subjects.insert(event.subject) }
    }
    return subjects
  }
}
