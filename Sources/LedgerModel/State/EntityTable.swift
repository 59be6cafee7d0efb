/// Something that a table of the overlay holds.
protocol TabledEntity: Sendable {
  var entityID: EntityID { get }
  /// The position of the event that made it.
  var firstPosition: Position { get }
  /// The position of the newest event applied.
  var lastPosition: Position { get }
}

/// Entities of one kind by id.
///
/// They stand in pieces of equal size and an index holds their places only. So no entity moves when the
/// table grows, and one that left frees its place. Of a copy of the table, only the index and the pieces
/// that change are copied.
struct EntityTable<Entity: TabledEntity>: Sendable {
  private typealias Piece = ContiguousArray<Entity?>

  private static var pieceBits: Int { 8 }
  private static var pieceCapacity: Int { 1 << pieceBits }

  private var places = PlaceIndex()
  private var pieces: ContiguousArray<Piece> = []
  /// How many places there are, taken or not.
  private(set) var placeCount = 0
  /// Places of entities that left.
  private var vacancies: [Int32] = []
  /// Whether places are no longer in the order in which their entities came.
  private var isReused = false

  var count: Int { placeCount - vacancies.count }

  @inline(__always)
  subscript(place: Int32) -> Entity? {
    get { pieces[Int(place) >> Self.pieceBits][Int(place) & (Self.pieceCapacity - 1)] }
    _modify {
      yield &pieces[Int(place) >> Self.pieceBits][Int(place) & (Self.pieceCapacity - 1)]
    }
  }

  /// Where an entity stands.
  @inline(__always)
  func place(of id: EntityID) -> Int32? {
    places.find(id) { self[$0]?.entityID == id }
  }

  subscript(id: EntityID) -> Entity? { place(of: id).flatMap { self[$0] } }

  /// All entities, in the order in which they came.
  ///
  /// - Complexity: O(n), once entities left O(n log n).
  var all: [Entity] {
    var all: [Entity] = []
    all.reserveCapacity(count)
    visitAll { all.append($0) }
    if isReused { all.sort { $0.firstPosition < $1.firstPosition } }
    return all
  }

  /// Hands over all entities, in no order.
  func visitAll(_ body: (Entity) -> Void) {
    for piece in pieces {
      for case let entity? in piece { body(entity) }
    }
  }

  // MARK: Changing

  /// Puts an entity in that is not there.
  ///
  /// - Returns: Its place.
  @inline(__always)
  @discardableResult
  mutating func insert(_ entity: consuming Entity) -> Int32 {
    let id = entity.entityID
    assert(place(of: id) == nil, "an entity was inserted twice")
    let place = takePlace()
    places.insert(id, at: place)
    self[place] = entity
    return place
  }

  private mutating func takePlace() -> Int32 {
    if let place = vacancies.popLast() {
      isReused = true
      return place
    }
    let place = Int32(placeCount)
    placeCount += 1
    if Int(place) >> Self.pieceBits == pieces.count { pieces.append(Piece()) }
    let last = pieces.count - 1
    if pieces[last].isEmpty { pieces[last].reserveCapacity(Self.pieceCapacity) }
    pieces[last].append(nil)
    return place
  }

  /// Takes the entity at a place out.
  @discardableResult
  mutating func remove(at place: Int32) -> Entity? {
    guard let entity = self[place] else { return nil }
    places.remove(entity.entityID, at: place)
    self[place] = nil
    vacancies.append(place)
    return entity
  }

  // MARK: Dropping what a snapshot has

  /// The places, among some, of entities whose newest event is at or before a position.
  func places(among places: Range<Int>, unchangedSince position: Position) -> [Int32] {
    places.clamped(to: 0..<placeCount).compactMap { place in
      guard let entity = self[Int32(place)], entity.lastPosition <= position else { return nil }
      return Int32(place)
    }
  }

  /// Whether nearly all places are vacant, so that a new table costs little and frees much memory.
  var isSparse: Bool { placeCount > 4 * Self.pieceCapacity && 16 * count < placeCount }
}

/// A table of one kind of entity, with lists of its own.
protocol IndexedTable {
  associatedtype Entity: TabledEntity
  associatedtype ID: LedgerIdentifier

  var entities: EntityTable<Entity> { get }

  init()

  subscript(id: ID) -> Entity? { get }

  /// Puts an entity in, or a newer state of it.
  mutating func update(_ entity: Entity)

  /// Takes the entity at a place out.
  mutating func remove(at place: Int32) -> Entity?
}

extension IndexedTable {
  var count: Int { entities.count }

  /// All entities, in the order in which they came.
  ///
  /// - Complexity: O(n), once entities left O(n log n).
  var all: [Entity] { entities.all }

  /// Hands over all entities, in no order.
  func visitAll(_ body: (Entity) -> Void) { entities.visitAll(body) }

  /// Takes an entity out.
  mutating func remove(_ id: ID) -> Entity? {
    entities.place(of: id.entityID).flatMap { remove(at: $0) }
  }

  // MARK: Dropping what a snapshot has

  /// How many places there are, taken or not.
  var placeCount: Int { entities.placeCount }

  /// Takes out the entities, among those at some places, that did not change after a position.
  ///
  /// - Parameter note: Gets every entity that leaves.
  mutating func drop(
    _ places: Range<Int>, unchangedSince position: Position, _ note: (Entity) -> Void = { _ in }
  ) {
    for place in entities.places(among: places, unchangedSince: position) {
      if let entity = remove(at: place) { note(entity) }
    }
  }

  /// Frees the memory of entities that left.
  mutating func shrink() {
    guard entities.isSparse else { return }
    let all = entities.all
    self = Self()
    for entity in all { update(entity) }
  }
}
