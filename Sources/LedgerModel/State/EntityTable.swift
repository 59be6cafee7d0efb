/// An entity that a table of the overlay can contain.
protocol TabledEntity: Sendable {
  var entityID: EntityID { get }
  /// The position of the event that created the entity.
  var firstPosition: Position { get }
  /// The position of the newest event applied.
  var lastPosition: Position { get }
}

/// Entities of one kind by id.
///
/// Entities are stored in pieces of equal size, and an index contains only their places. So no entity moves
/// when the table grows, and a removed entity frees its place. A copy of the table copies only the index and
/// the pieces that change.
struct EntityTable<Entity: TabledEntity>: Sendable {
  private typealias Piece = ContiguousArray<Entity?>

  private static var pieceBits: Int { 8 }
  private static var pieceCapacity: Int { 1 << pieceBits }

  private var places = PlaceIndex()
  private var pieces: ContiguousArray<Piece> = []
  /// The number of places, occupied or vacant.
  private(set) var placeCount = 0
  /// The places of removed entities.
  private var vacancies: [Int32] = []
  /// Whether the order of places no longer matches the order in which entities were inserted.
  private var isReused = false

  var count: Int { placeCount - vacancies.count }

  @inline(__always)
  subscript(place: Int32) -> Entity? {
    get { pieces[Int(place) >> Self.pieceBits][Int(place) & (Self.pieceCapacity - 1)] }
    _modify {
      yield &pieces[Int(place) >> Self.pieceBits][Int(place) & (Self.pieceCapacity - 1)]
    }
  }

  /// Returns the place of an entity.
  @inline(__always)
  func place(of id: EntityID) -> Int32? {
    places.find(id) { self[$0]?.entityID == id }
  }

  subscript(id: EntityID) -> Entity? { place(of: id).flatMap { self[$0] } }

  /// All entities, in the order of their insertion.
  ///
  /// - Complexity: O(n); O(n log n) after entities were removed.
  var all: [Entity] {
    var all: [Entity] = []
    all.reserveCapacity(count)
    visitAll { all.append($0) }
    if isReused { all.sort { $0.firstPosition < $1.firstPosition } }
    return all
  }

  /// Visits all entities, in no particular order.
  func visitAll(_ body: (Entity) -> Void) {
    for piece in pieces {
      for case let entity? in piece { body(entity) }
    }
  }

  // MARK: Changing

  /// Inserts an entity that the table does not contain.
  ///
  /// - Returns: The place of the entity.
  @inline(__always)
  @discardableResult
  mutating func insert(_ entity: consuming Entity) -> Int32 {
    let id = entity.entityID
    assert(place(of: id) == nil, "an entity was inserted twice")
    if let place = vacancies.popLast() {
      isReused = true
      places.insert(id, at: place)
      self[place] = entity
      return place
    }
    let place = Int32(placeCount)
    placeCount += 1
    places.insert(id, at: place)
    if Int(place) >> Self.pieceBits == pieces.count { addPiece() }
    pieces[pieces.count - 1].append(entity)
    return place
  }

  private mutating func addPiece() {
    var piece = Piece()
    piece.reserveCapacity(Self.pieceCapacity)
    pieces.append(piece)
  }

  /// Changes the entity at a place, without a copy of it.
  ///
  /// - Precondition: The place is occupied.
  @inline(__always)
  mutating func change<Result, Failure: Error>(
    at place: Int32, _ body: (inout Entity) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&pieces[Int(place) >> Self.pieceBits][Int(place) & (Self.pieceCapacity - 1)]!)
  }

  /// Removes the entity at a place.
  @discardableResult
  mutating func remove(at place: Int32) -> Entity? {
    guard let entity = self[place] else { return nil }
    places.remove(entity.entityID, at: place)
    self[place] = nil
    vacancies.append(place)
    return entity
  }

  // MARK: Dropping entities that a snapshot has

  /// Returns the places, within a range, of entities whose newest event is at or before a position.
  func places(among places: Range<Int>, unchangedSince position: Position) -> [Int32] {
    places.clamped(to: 0..<placeCount).compactMap { place in
      guard let entity = self[Int32(place)], entity.lastPosition <= position else { return nil }
      return Int32(place)
    }
  }

  /// Whether nearly all places are vacant, so that a new table costs little and frees much memory.
  var isSparse: Bool { placeCount > 4 * Self.pieceCapacity && 16 * count < placeCount }
}

/// A table of one kind of entity, with its own lists.
protocol IndexedTable {
  associatedtype Entity: TabledEntity
  associatedtype ID: LedgerIdentifier

  var entities: EntityTable<Entity> { get }

  init()

  subscript(id: ID) -> Entity? { get }

  /// Inserts an entity, or replaces it with a newer state.
  mutating func update(_ entity: Entity)

  /// Removes the entity at a place.
  mutating func remove(at place: Int32) -> Entity?
}

extension IndexedTable {
  var count: Int { entities.count }

  /// All entities, in the order of their insertion.
  ///
  /// - Complexity: O(n); O(n log n) after entities were removed.
  var all: [Entity] { entities.all }

  /// Visits all entities, in no particular order.
  func visitAll(_ body: (Entity) -> Void) { entities.visitAll(body) }

  /// Removes an entity.
  mutating func remove(_ id: ID) -> Entity? {
    entities.place(of: id.entityID).flatMap { remove(at: $0) }
  }

  // MARK: Dropping entities that a snapshot has

  /// The number of places, occupied or vacant.
  var placeCount: Int { entities.placeCount }

  /// Removes the entities within a range of places that have not changed since a position.
  ///
  /// - Parameter note: Receives every removed entity.
  mutating func drop(
    _ places: Range<Int>, unchangedSince position: Position, _ note: (Entity) -> Void = { _ in }
  ) {
    for place in entities.places(among: places, unchangedSince: position) {
      if let entity = remove(at: place) { note(entity) }
    }
  }

  /// Frees the memory of removed entities.
  mutating func shrink() {
    guard entities.isSparse else { return }
    let all = entities.all
    self = Self()
    for entity in all { update(entity) }
  }
}
