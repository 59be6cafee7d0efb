private import DequeModule

/// Pending work in memory, by session, awaited promise and lane.
package struct WorkIndex: Sendable {
  /// The settlement of a promise for which work waits.
  private struct Awaited: Sendable, Hashable {
    let promise: PromiseID
    let settlement: WorkTrigger.Settlement
  }

  private var places: [PromiseID: WorkPlace] = [:]
  /// The work of which a session is running an attempt.
  package private(set) var running: Set<PromiseID> = []
  private var awaiting: [Awaited: Set<PromiseID>] = [:]
  private var lanes: [String: LaneMembers] = [:]

  package init() {}

  package var count: Int { places.count }

  package subscript(id: PromiseID) -> WorkPlace? { places[id] }

  /// All pending work, in no particular order.
  package var all: some Collection<(key: PromiseID, value: WorkPlace)> { places }

  /// The work that waits for a settlement of a promise, in no particular order.
  package func awaiting(
    _ promise: PromiseID, _ settlement: WorkTrigger.Settlement
  ) -> Set<PromiseID> {
    awaiting[Awaited(promise: promise, settlement: settlement)] ?? []
  }

  /// The promises that work in memory waits for, in no particular order.
  package var awaitedPromises: Set<PromiseID> { Set(awaiting.keys.map(\.promise)) }

  /// The work of a lane that is not parked; `nil` if there is none.
  package subscript(lane name: String) -> LaneMembers? { lanes[name] }

  /// The work of a lane of which no attempt was started, in the order of its creation.
  package func queue(ofLane name: String) -> some Collection<LaneMembers.Queued> {
    lanes[name, default: LaneMembers()].queue
  }

  // MARK: Changing

  package mutating func update(_ entity: PromiseEntity) {
    let (id, place) = (entity.id, entity.workPlace)
    if let old = places[id] {
      guard old != place else { return }
      take(id, old)
    }
    places[id] = place
    if let place { put(id, place) }
  }

  package mutating func remove(_ id: PromiseID) {
    guard let place = places.removeValue(forKey: id) else { return }
    take(id, place)
  }

  private mutating func put(_ id: PromiseID, _ place: WorkPlace) {
    switch place.phase {
    case .running: running.insert(id)
    case .waiting(let trigger):
      for (promise, settlement) in trigger.awaitedSettlements {
        awaiting[Awaited(promise: promise, settlement: settlement), default: []].insert(id)
      }
    case .parked: break
    }
    if let lane = place.lane, !place.isParked {
      lanes[lane.name, default: LaneMembers()].insert(id, place)
    }
  }

  private mutating func take(_ id: PromiseID, _ place: WorkPlace) {
    switch place.phase {
    case .running: running.remove(id)
    case .waiting(let trigger):
      for (promise, settlement) in trigger.awaitedSettlements {
        let awaited = Awaited(promise: promise, settlement: settlement)
        awaiting[awaited]?.remove(id)
        if awaiting[awaited]?.isEmpty ?? false { awaiting[awaited] = nil }
      }
    case .parked: break
    }
    if let lane = place.lane, !place.isParked {
      lanes[lane.name]?.remove(id, place)
      if lanes[lane.name]?.isEmpty ?? false { lanes[lane.name] = nil }
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
