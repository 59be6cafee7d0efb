/// A walk, slice by slice, from the oldest events to the last one that is old enough to be deleted.
///
/// Events with times in the future do not end it; see ``AgeLimit``.
package struct AgedEvents: Sendable {
  private let age: AgeLimit
  private let end: Position
  private var position: Position
  private var isOver = false
  /// The last event that is old enough, as are all events before it.
  package private(set) var last: Position

  /// - Parameters:
  ///   - age: The minimum age of the events.
  ///   - start: The last deleted event.
  ///   - end: The last event that may be deleted.
  package init(_ age: AgeLimit, after start: Position, through end: Position) {
    self.age = age
    self.end = end
    position = start
    last = start
    isOver = start >= end
  }

  /// Examines the next events.
  ///
  /// - Returns: Whether more events may follow.
  /// - Throws: `corrupt`; `ioFailure`.
  package mutating func next(of source: any EventSource) throws(LedgerError) -> Bool {
    guard !isOver else { return false }
    var (last, isOver) = (last, isOver)
    let start = position
    do throws(LedgerError) {
      position = try source.read(after: start, limit: EventDeletion.maximumEventCount) {
        (frame) throws(LedgerError) in
        try frame.forEachEvent(after: start) { event in
          guard !isOver, event.position <= end else {
            isOver = true
            return
          }
          switch age.verdict(on: event.time) {
          case .old: last = event.position
          case .young: isOver = true
          case .unknown: break
          }
        }
      }
    } catch {
      // Another session deleted them while this one was frozen.
      guard let deleted = error.eventsDeletedThrough, deleted > position else { throw error }
      position = deleted
      last = max(last, deleted)
    }
    self.last = last
    self.isOver = isOver || position == start || position >= end
    return !self.isOver
  }
}
