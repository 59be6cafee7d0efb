/// Copies of frames that were checked when they were read, in order.
package struct FrameList: Sendable {
  private var bytes: [UInt8] = []
  /// The end of each frame.
  private var ends: [Int] = []

  package init() {}

  package private(set) var eventCount = 0

  package var isEmpty: Bool { ends.isEmpty }

  package mutating func append(_ frame: borrowing FrameView) {
    frame.append(to: &bytes)
    ends.append(bytes.count)
    eventCount += frame.header.eventCount
  }

  /// Passes every frame to a closure, in order.
  ///
  /// - Throws: Any error that `body` throws.
  package func forEachFrame(
    _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var start = 0
    for end in ends {
      try body(FrameView(checked: bytes.span.extracting(start..<end)))
      start = end
    }
  }

  /// The subjects of the events after `position`, without duplicates.
  ///
  /// - Parameter isWanted: Called for the subject of each event.
  package func subjects(
    after position: Position, where isWanted: (EntityID) -> Bool = { _ in true }
  ) throws(LedgerError) -> Set<EntityID> {
    var subjects: Set<EntityID> = []
    try forEachFrame { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: position) { event in
        let subject = event.subject
        if isWanted(subject) { subjects.insert(subject) }
      }
    }
    return subjects
  }
}
