import PromiseLedger

/// Which events are wanted.
struct EventFilter {
  private static let sliceEventCount = 1_000

  var after: Position
  /// The wanted kinds; none means all.
  var kinds: Set<EventKind>
  var limit: Int?

  /// Hands over the wanted events in their order; holds one slice of events at a time.
  func forEach(in inspector: LedgerInspector, _ body: (LedgerEvent) throws -> Void) throws {
    var position = after
    var left = limit ?? .max
    while left > 0 {
      let slice = try inspector.events(after: position, limit: min(left, Self.sliceEventCount))
      guard let last = slice.last else { return }
      for event in slice where kinds.isEmpty || kinds.contains(event.kind) {
        guard left > 0 else { return }
        try body(event)
        left -= 1
      }
      position = last.position
    }
  }
}
