import PromiseLedger

/// The events of one promise, what led to them, and what they led to.
struct PromiseLife {
  enum Relation: String {
    case own, cause, effect
  }

  let id: PromiseID
  let record: PromiseRecord?
  private var own: Set<Position> = []
  private var causes: Set<Position> = []

  init(of id: PromiseID, in inspector: LedgerInspector, _ output: any TextSink) throws {
    self.id = id
    record = try inspector.replay { _ in try? output.alive() }.record(of: id)
    var (own, causes): (Set<Position>, Set<Position>) = ([], [])
    try EventReader(inspector: inspector, output: output).read { event in
      guard event.subject == id.entityID else { return true }
      own.insert(event.position)
      if let cause = event.cause { causes.insert(cause) }
      return true
    }
    self.own = own
    self.causes = causes.subtracting(own)
  }

  /// Hands over the events in the order of positions.
  func forEachEvent(
    in inspector: LedgerInspector, _ output: any TextSink,
    _ body: (LedgerEvent, Relation) throws -> Void
  ) throws {
    try EventReader(inspector: inspector, output: output).read { event in
      if own.contains(event.position) {
        try body(event, .own)
      } else if causes.contains(event.position) {
        try body(event, .cause)
      } else if let cause = event.cause, own.contains(cause) {
        try body(event, .effect)
      }
      return true
    }
  }
}
