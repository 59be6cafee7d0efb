/// Promises by id, with a list through those that are neither consumed nor abandoned.
///
/// The entities stand one after the other and the index holds their places only, so that growing moves
/// little and an event costs one look-up.
package struct PromiseTable: Sendable {
  private struct Entry: Sendable {
    var entity: PromiseEntity
    /// Neighbours in the list of open promises.
    var previous: Int32
    var next: Int32
    /// Whether the promise was removed and the place can be taken.
    var isVacant = false
  }

  private static let none = PlaceIndex.none

  private var places = PlaceIndex()
  private var entries: ContiguousArray<Entry> = []
  private var firstOpen = Self.none
  private var lastOpen = Self.none
  /// Places of promises that were removed.
  private var vacancies: [Int32] = []
  /// Whether places are no longer in the order in which their promises came.
  private var isReused = false

  package init() {}

  /// A table of promises, which are in the order in which they came.
  init(_ promises: [PromiseEntity]) {
    for promise in promises { insert(promise) }
  }

  package var count: Int { entries.count - vacancies.count }

  package subscript(id: PromiseID) -> PromiseEntity? {
    guard let place = place(of: id) else { return nil }
    return entries[Int(place)].entity
  }

  /// All promises, in the order in which they came.
  package var all: [PromiseEntity] {
    guard !vacancies.isEmpty || isReused else { return entries.map(\.entity) }
    return entries.filter { !$0.isVacant }.map(\.entity)
      .sorted { $0.created.position < $1.created.position }
  }

  /// The promises that are neither consumed nor abandoned, in the order in which they came.
  ///
  /// - Complexity: O(n) in their number.
  package var open: [PromiseEntity] {
    var open: [PromiseEntity] = []
    var place = firstOpen
    while place != Self.none {
      open.append(entries[Int(place)].entity)
      place = entries[Int(place)].next
    }
    return open
  }

  // MARK: Changing

  /// Where a promise stands, for ``apply(_:at:)``.
  @inline(__always)
  package func place(of id: PromiseID) -> Int32? {
    places.find(id.entityID) { entries[Int($0)].entity.id == id }
  }

  /// Applies an event to the promise at a place.
  @inline(__always)
  package mutating func apply(
    _ event: borrowing EventView, at place: Int32
  ) throws(ReplayProblem) {
    try entries[Int(place)].entity.apply(event)
    if !entries[Int(place)].entity.isOpen { unlink(place) }
  }

  /// Puts a promise in that is not there.
  package mutating func insert(_ entity: consuming PromiseEntity) {
    assert(place(of: entity.id) == nil, "a promise was inserted twice")
    let isOpen = entity.isOpen
    if let place = vacancies.popLast() {
      isReused = true
      places.insert(entity.id.entityID, at: place)
      entries[Int(place)] = Entry(entity: entity, previous: Self.none, next: Self.none)
      if isOpen { link(place) }
      return
    }
    let place = Int32(entries.count)
    places.insert(entity.id.entityID, at: place)
    entries.append(Entry(entity: entity, previous: Self.none, next: Self.none))
    if isOpen { link(place) }
  }

  /// Puts a promise in, or a newer state of it.
  ///
  /// - Returns: Whether it was not there.
  package mutating func update(_ entity: PromiseEntity) -> Bool {
    guard let place = place(of: entity.id) else {
      insert(entity)
      return true
    }
    entries[Int(place)].entity = entity
    if !entity.isOpen { unlink(place) }
    return false
  }

  /// Takes a promise out.
  mutating func remove(_ id: PromiseID) -> PromiseEntity? {
    guard let place = place(of: id) else { return nil }
    let entity = entries[Int(place)].entity
    unlink(place)
    places.remove(id.entityID, at: place)
    entries[Int(place)] = Entry(
      entity: entity.withoutPayloads, previous: Self.none, next: Self.none, isVacant: true)
    vacancies.append(place)
    return entity
  }

  private mutating func link(_ place: Int32) {
    entries[Int(place)].previous = lastOpen
    if lastOpen == Self.none {
      firstOpen = place
    } else {
      entries[Int(lastOpen)].next = place
    }
    lastOpen = place
  }

  private mutating func unlink(_ place: Int32) {
    let (previous, next) = (entries[Int(place)].previous, entries[Int(place)].next)
    guard previous != Self.none || firstOpen == place else { return }
    if previous == Self.none { firstOpen = next } else { entries[Int(previous)].next = next }
    if next == Self.none { lastOpen = previous } else { entries[Int(next)].previous = previous }
    entries[Int(place)].previous = Self.none
    entries[Int(place)].next = Self.none
  }

  // MARK: Invariants

  /// Whether the list agrees with the promise.
  func isConsistent(_ id: PromiseID) -> Bool {
    guard let place = place(of: id) else { return false }
    let entry = entries[Int(place)]
    let isListed = entry.previous != Self.none || firstOpen == place
    return isListed == entry.entity.isOpen && entry.entity.id == id
      && entry.entity.isConsistent
  }
}
