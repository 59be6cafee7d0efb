import LedgerRuntime

/// The events of one promise, handler or session, with their causes and effects.
struct SubjectLife {
  enum Relation: String {
    case own, cause, effect
  }

  /// The number of events that are looked through together.
  private static let searchedCount = 10_000
  /// The number of events that are read together, once it is known which ones are wanted.
  private static let readCount = 64

  private var relations: [Position: Relation] = [:]
  private var causes: Set<Position> = []

  /// Looks through all events.
  init(of id: EntityID, in inspector: BlockingInspector, _ output: any TextSink) throws {
    var life = Self()
    var reader = EventReader(inspector: inspector, output: output)
    reader.sliceEventCount = Self.searchedCount
    try reader.readInPlace { life.take($0, of: id) }
    // A cause may be deleted, in which case it is not found.
    for cause in life.causes where life.relations[cause] != .own { life.relations[cause] = .cause }
    self = life
  }

  private init() {}

  private mutating func take(_ event: borrowing EventView, of id: EntityID) {
    if event.subject == id {
      relations[event.position] = .own
      if event.cause > .start { causes.insert(event.cause) }
    } else if event.cause > .start, relations[event.cause] == .own {
      relations[event.position] = .effect
    }
  }

  /// Passes on the events in the order of positions.
  func forEachEvent(
    in inspector: BlockingInspector, _ output: any TextSink,
    _ body: (LedgerEvent, Relation) throws -> Void
  ) throws {
    var reader = EventReader(inspector: inspector, output: output)
    reader.sliceEventCount = Self.readCount
    // The first reading has told of deleted events.
    reader.notesDeletion = false
    var wanted = relations.keys.sorted()[...]
    while let first = wanted.first,
      let last = wanted.prefix(Self.readCount).last(where: {
        $0.rawValue - first.rawValue < UInt64(Self.readCount)
      })
    {
      reader.after = Position(rawValue: first.rawValue - 1)
      reader.through = last
      try reader.read { event in
        if let relation = relations[event.position] { try body(event, relation) }
        return true
      }
      wanted = wanted.drop { $0 <= last }
    }
  }
}
