/// Promises by id, with a linked list of those that are neither consumed nor abandoned.
package struct PromiseTable: IndexedTable, Sendable {
  /// The neighbours of a promise in the list of open promises.
  private struct Link: Sendable {
    var previous = PlaceIndex.none
    var next = PlaceIndex.none
  }

  private static let none = PlaceIndex.none

  private(set) var entities = EntityTable<PromiseEntity>()
  /// The links of every place.
  private var links: ContiguousArray<Link> = []
  private var firstOpen = Self.none
  private var lastOpen = Self.none
  /// The pending work, by the facts that runners look for.
  package private(set) var work = WorkIndex()
  /// The pending joints, by their inputs.
  package private(set) var joints = JointIndex()
  /// The pending promises that belong to work, by its promise.
  package private(set) var children = LinkIndex()

  package init() {}

  package subscript(id: PromiseID) -> PromiseEntity? { entities[id.entityID] }

  /// Whether a promise is pending; `nil` if the table does not contain it.
  func isPending(_ id: PromiseID) -> Bool? {
    place(of: id).flatMap { entities[$0]?.status == .pending }
  }

  /// The promises that are neither consumed nor abandoned, in the order of their insertion.
  ///
  /// - Complexity: O(n) in their number.
  package var open: [PromiseEntity] {
    var open: [PromiseEntity] = []
    var place = firstOpen
    while place != Self.none {
      if let entity = entities[place] { open.append(entity) }
      place = links[Int(place)].next
    }
    return open
  }

  // MARK: Changing

  /// Returns the place of a promise, for ``apply(_:at:)``.
  @inline(__always)
  package func place(of id: PromiseID) -> Int32? { entities.place(of: id.entityID) }

  /// Applies an event to the promise at a place.
  @inline(__always)
  package mutating func apply(
    _ event: borrowing EventView, at place: Int32
  ) throws(ReplayProblem) {
    // Read in place: most promises are not extended, and a copy takes as long as the event.
    let change = try entities.change(at: place) { (entity) throws(ReplayProblem) in
      try entity.change(by: event)
    }
    if !change.isOpen { unlink(place) }
    if change.isExtended, let entity = entities[place] {
      note(entity, entity.workPlace)
    } else {
      work.note(change.standing, of: PromiseID(entityID: event.subject))
    }
  }

  /// Inserts a promise that the table does not contain.
  package mutating func insert(_ entity: consuming PromiseEntity) {
    if entity.isExtended {
      note(entity, entity.workPlace)
    } else {
      work.note(entity.standing, of: entity.id)
    }
    add(entity)
  }

  /// Inserts a promise that the table does not contain.
  ///
  /// - Parameter workPlace: Its place among the work, which need not be found again.
  mutating func insert(_ entity: consuming PromiseEntity, _ workPlace: WorkPlace?) {
    note(entity, workPlace)
    add(entity)
  }

  @inline(__always)
  private mutating func add(_ entity: consuming PromiseEntity) {
    let isOpen = entity.isOpen
    let place = entities.insert(entity)
    if place == links.count { links.append(Link()) }
    if isOpen { link(place) }
  }

  /// Inserts a promise, or replaces it with a newer state.
  package mutating func update(_ entity: PromiseEntity) {
    guard let place = place(of: entity.id) else { return insert(entity) }
    replace(at: place, by: entity, entity.workPlace)
  }

  /// Replaces the promise at a place with a newer state.
  ///
  /// - Parameter workPlace: Its place among the work, which need not be found again.
  mutating func replace(at place: Int32, by entity: PromiseEntity, _ workPlace: WorkPlace?) {
    entities[place] = entity
    if !entity.isOpen { unlink(place) }
    note(entity, workPlace)
  }

  mutating func remove(at place: Int32) -> PromiseEntity? {
    unlink(place)
    let entity = entities.remove(at: place)
    if let entity {
      work.remove(entity.id)
      joints.remove(entity.id)
      children.update(entity.id, naming: [])
      work.note(.elsewhere, of: entity.id)
    }
    return entity
  }

  /// Notes the newest state of a promise among the work.
  @inline(__always)
  private mutating func note(_ entity: PromiseEntity, _ workPlace: WorkPlace?) {
    work.note(entity.standing, of: entity.id)
    guard entity.isExtended else { return }
    for id in work.update(entity.id, workPlace) {
      // Work may await itself, and is not in the table yet.
      let awaited = id == entity.id ? entity : self[id]
      if let awaited { work.note(awaited.standing, of: id) }
    }
    joints.update(entity)
    children.update(entity.id, naming: entity.pendingParent)
  }

  private mutating func link(_ place: Int32) {
    links[Int(place)].previous = lastOpen
    if lastOpen == Self.none {
      firstOpen = place
    } else {
      links[Int(lastOpen)].next = place
    }
    lastOpen = place
  }

  private mutating func unlink(_ place: Int32) {
    let (previous, next) = (links[Int(place)].previous, links[Int(place)].next)
    guard previous != Self.none || firstOpen == place else { return }
    if previous == Self.none { firstOpen = next } else { links[Int(previous)].next = next }
    if next == Self.none { lastOpen = previous } else { links[Int(next)].previous = previous }
    links[Int(place)] = Link()
  }

  // MARK: Invariants

  /// Whether the list agrees with the promise.
  func isConsistent(_ id: PromiseID) -> Bool {
    guard let place = place(of: id), let entity = entities[place] else { return false }
    let isListed = links[Int(place)].previous != Self.none || firstOpen == place
    return isListed == entity.isOpen && entity.id == id && entity.isConsistent
      && (!entity.isExtended || work[id] == entity.workPlace)
      && work.awaited.standing(of: id) ?? entity.standing == entity.standing
  }
}

extension PromiseEntity {
  fileprivate var standing: AwaitedPromises.Standing { status == .pending ? .pending : .settled }

  /// Applies an event, and returns what the table must know of the promise.
  @inline(__always)
  fileprivate mutating func change(
    by event: borrowing EventView
  ) throws(ReplayProblem) -> (
    isOpen: Bool, isExtended: Bool, standing: AwaitedPromises.Standing
  ) {
    try apply(event)
    return (isOpen, isExtended, standing)
  }
}

extension PromiseEntity: TabledEntity {
  var entityID: EntityID { id.entityID }
  var firstPosition: Position { created.position }
}
