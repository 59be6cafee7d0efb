import LedgerRuntime

/// What the page knows of the events whose lines it has, or had.
struct PageEvents: Sendable {
  /// The first event that is in the page; the one after the last if there is none.
  private(set) var first: Position
  private(set) var count = 0
  private(set) var sizes = SizeSamples()
  private(set) var newestTime: Timestamp?
  private(set) var findings = Findings()

  /// The newest events up to a position, at most `limit` of them.
  init(through end: Position, limit: Int) {
    first = Position(rawValue: end.rawValue - min(end.rawValue, UInt64(limit)) + 1)
  }

  /// The line of the next event.
  mutating func line(of event: LedgerEvent, in inspector: BlockingInspector) -> PageLine {
    // Those before it were deleted.
    if count == 0 { first = event.position }
    count += 1
    let details = EventDetails(of: event, in: inspector)
    findings.count(details.problem)
    sizes.add(event)
    newestTime = event.time
    // The page has the rest from the object.
    let record = Record(
      cells: ["", "", "", "", "", details.words.joined(separator: ", ")],
      json: Record.json(of: event, details))
    return PageLine(.events, "\(event.position)", "\(event.kind)", record)
  }

  /// Leaves out the events before a position.
  mutating func drop(before position: Position) { first = max(first, position) }
}
