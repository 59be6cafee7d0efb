private import DequeModule
private import HeapModule

/// Pending work in memory, in the order in which it should start, and by lane.
package struct WorkIndex: Sendable {
  /// Work and its place.
  private struct Placed: TabledEntity {
    let id: PromiseID
    var place: WorkPlace

    var entityID: EntityID { id.entityID }
    var firstPosition: Position { place.created }
    var lastPosition: Position { place.created }
  }

  // As a table, of which a copy shares what does not change.
  private var places = EntityTable<Placed>()
  /// The work of which a session is running an attempt.
  package private(set) var running: Set<PromiseID> = []
  /// The work that is due at once, by the time of its creation.
  private(set) var dueAtOnce = WorkQueues()
  /// The work that becomes due at a time.
  private(set) var timed = WorkQueues()
  /// The work that becomes due when a promise is settled.
  private(set) var awaited = AwaitedPromises()
  private var lanes: [String: LaneMembers] = [:]
  /// The amount of work that is due at once.
  private(set) var dueAtOnceCount = 0

  package init() {}

  package var count: Int { places.count }

  package subscript(id: PromiseID) -> WorkPlace? { places[id.entityID]?.place }

  /// All pending work, in no particular order.
  package var ids: [PromiseID] {
    var ids: [PromiseID] = []
    ids.reserveCapacity(count)
    places.visitAll { ids.append($0.id) }
    return ids
  }

  /// The first work, in the order of ids, that waits for a settlement of a promise.
  ///
  /// - Complexity: O(n) in the amount of that work.
  package func firstWork(
    awaiting promise: PromiseID, _ settlement: WorkTrigger.Settlement, limit: Int
  ) -> [PromiseID] {
    switch awaited.work(awaiting: promise, settlement) {
    case .none: return []
    case .one(let id): return limit > 0 ? [id] : []
    case .many(let queues):
      var first = Heap<PromiseID>()
      for id in queues.ids {
        if first.count < limit {
          first.insert(id)
        } else if let last = first.max, id < last {
          first.replaceMax(with: id)
        }
      }
      return first.unordered.sorted()
    }
  }

  /// The work of a lane that is not parked; `nil` if there is none.
  package subscript(lane name: String) -> LaneMembers? { lanes[name] }

  /// The work of a lane of which no attempt was started, in the order of its creation.
  package func queue(ofLane name: String) -> some Collection<LaneMembers.Queued> {
    lanes[name, default: LaneMembers()].queue
  }

  // MARK: Changing

  /// Notes the newest state of a promise, if it is work.
  ///
  /// - Returns: The promises that the work awaits from now on.
  @discardableResult
  package mutating func update(_ entity: PromiseEntity) -> [PromiseID] {
    update(entity.id, entity.workPlace)
  }

  /// Notes the newest place of work; `nil` once it is settled.
  mutating func update(_ id: PromiseID, _ place: WorkPlace?) -> [PromiseID] {
    guard let number = places.place(of: id.entityID) else {
      guard let place else { return [] }
      places.insert(Placed(id: id, place: place))
      return put(id, place)
    }
    guard let old = places[number]?.place, old != place else { return [] }
    take(id, old)
    guard let place else {
      places.remove(at: number)
      return []
    }
    places[number]?.place = place
    return put(id, place)
  }

  package mutating func remove(_ id: PromiseID) {
    guard let number = places.place(of: id.entityID),
      let place = places.remove(at: number)?.place
    else { return }
    take(id, place)
  }

  /// Notes what the overlay says of a promise, if work awaits it.
  mutating func note(_ standing: AwaitedPromises.Standing, of promise: PromiseID) {
    if !awaited.isEmpty { awaited.note(standing, of: promise) }
  }

  private mutating func put(_ id: PromiseID, _ place: WorkPlace) -> [PromiseID] {
    if place.isDueAtOnce { dueAtOnceCount += 1 }
    if let lane = place.lane, !place.isParked {
      lanes[lane.name, default: LaneMembers()].insert(id, place)
    }
    switch place.phase {
    case .running: running.insert(id)
    case .parked: break
    case .waiting(let trigger):
      if case .now = trigger { dueAtOnce.insert(id, place, at: place.createdAt) }
      if let time = trigger.time { timed.insert(id, place, at: time) }
      let settlements = trigger.awaitedSettlements
      for (promise, settlement) in settlements {
        awaited.insert(id, place, awaiting: promise, settlement) { [places] other in
          places[other.entityID]?.place
        }
      }
      return settlements.map(\.promise)
    }
    return []
  }

  private mutating func take(_ id: PromiseID, _ place: WorkPlace) {
    if place.isDueAtOnce { dueAtOnceCount -= 1 }
    if let lane = place.lane, !place.isParked {
      lanes[lane.name]?.remove(id, place)
      if lanes[lane.name]?.isEmpty ?? false { lanes[lane.name] = nil }
    }
    switch place.phase {
    case .running: running.remove(id)
    case .parked: break
    case .waiting(let trigger):
      if case .now = trigger { dueAtOnce.remove(id, place, at: place.createdAt) }
      if let time = trigger.time { timed.remove(id, place, at: time) }
      for (promise, settlement) in trigger.awaitedSettlements {
        awaited.remove(id, place, awaiting: promise, settlement)
      }
    }
  }
}

/// The work of one lane that is not parked.
package struct LaneMembers: Sendable {
  /// Work of which no attempt was started.
  package struct Queued: Sendable, Hashable {
    package let created: Position
    package let id: PromiseID
  }

  /// The work that counts against the width of the lane.
  package private(set) var holders: Set<PromiseID> = []
  private var members = Deque<Queued>()

  /// Work of which no attempt was started, in the order of its creation.
  package var queue: some Collection<Queued> { members }

  var isEmpty: Bool { holders.isEmpty && members.isEmpty }

  mutating func insert(_ id: PromiseID, _ place: WorkPlace) {
    guard !place.holdsLane else {
      holders.insert(id)
      return
    }
    let queued = Queued(created: place.created, id: id)
    // New work comes last.
    guard let last = members.last, last.created >= place.created else {
      return members.append(queued)
    }
    members.insert(queued, at: members.partitioningIndex { $0.created >= place.created })
  }

  mutating func remove(_ id: PromiseID, _ place: WorkPlace) {
    guard !place.holdsLane else {
      holders.remove(id)
      return
    }
    // Usually, the work that starts is the first.
    if members.first?.id == id {
      members.removeFirst()
      return
    }
    let index = members.partitioningIndex { $0.created >= place.created }
    if index < members.endIndex, members[index].id == id { members.remove(at: index) }
  }
}
