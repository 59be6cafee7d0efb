import PromiseLedger

/// The events of one promise, handler or session, with their causes and effects.
struct SubjectLife {
  enum Relation: String {
    case own, cause, effect
  }

  private var own: Set<Position> = []
  private var causes: Set<Position> = []
  /// The first event that is not deleted.
  private var firstKept: Position?

  init(of id: EntityID, in inspector: BlockingInspector, _ output: any TextSink) throws {
    var life = Self()
    try EventReader(inspector: inspector, output: output).read { event in
      life.take(event, of: id)
      return true
    }
    life.causes.subtract(life.own)
    self = life
  }

  private init() {}

  private mutating func take(_ event: LedgerEvent, of id: EntityID) {
    if firstKept == nil { firstKept = event.position }
    guard event.subject == id else { return }
    own.insert(event.position)
    if let cause = event.cause { causes.insert(cause) }
  }

  /// Passes on the events in the order of positions.
  func forEachEvent(
    in inspector: BlockingInspector, _ output: any TextSink,
    _ body: (LedgerEvent, Relation) throws -> Void
  ) throws {
    // A cause may be deleted. The first reading has already told callers about deleted events.
    guard let first = own.union(causes).min(), let firstKept else { return }
    var reader = EventReader(inspector: inspector, output: output)
    reader.after = Position(rawValue: max(first, firstKept).rawValue - 1)
    try reader.read { event in
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
