/// Work that waits for events of one kind, for example for its time: in the order in which it should start.
package struct WorkQueues: Sendable {
  /// A work in its queue.
  struct Entry: Comparable, Sendable {
    /// The time at which the work becomes due, if that differs among the work of a queue.
    let time: Timestamp
    let created: Position
    let id: PromiseID

    static func < (left: Entry, right: Entry) -> Bool {
      if left.time != right.time { return left.time < right.time }
      return (left.created, left.id) < (right.created, right.id)
    }
  }

  /// The work of one kind.
  struct OfKind: Sendable {
    /// The work without a lane, and that which keeps its place in a lane, by priority.
    fileprivate(set) var queues: [Int8: SortedPieces<Entry>] = [:]
    /// The other work by lane: which of it starts next depends on all work of the lane.
    fileprivate(set) var lanes: [String: SortedPieces<Entry>] = [:]

    fileprivate var isEmpty: Bool { queues.isEmpty && lanes.isEmpty }
  }

  /// The work by kind.
  private(set) var kinds: [String: OfKind] = [:]

  var isEmpty: Bool { kinds.isEmpty }

  /// All work, in no particular order.
  var ids: [PromiseID] {
    var ids: [PromiseID] = []
    for work in kinds.values {
      for queue in work.queues.values { queue.visitAll { ids.append($0.id) } }
      for queue in work.lanes.values { queue.visitAll { ids.append($0.id) } }
    }
    return ids
  }

  /// Visits all work, in no particular order, until `body` returns false.
  func visitIDs(_ body: (PromiseID) throws(LedgerError) -> Bool) throws(LedgerError) {
    var goesOn = true
    for work in kinds.values {
      for queue in Array(work.queues.values) + Array(work.lanes.values) where goesOn {
        try queue.visit { (entry) throws(LedgerError) in
          goesOn = try body(entry.id)
          return goesOn
        }
      }
    }
  }

  // MARK: Changing

  /// Adds work.
  ///
  /// - Parameter time: The time at which it becomes due, if that differs among the work of a queue.
  mutating func insert(_ id: PromiseID, _ place: WorkPlace, at time: Timestamp = .same) {
    let entry = Entry(time: time, created: place.created, id: id)
    if let lane = place.queuedLane {
      kinds[place.kind, default: OfKind()].lanes[lane, default: SortedPieces()].insert(entry)
    } else {
      kinds[place.kind, default: OfKind()].queues[place.priority, default: SortedPieces()]
        .insert(entry)
    }
  }

  /// Removes work that was added with the same arguments.
  mutating func remove(_ id: PromiseID, _ place: WorkPlace, at time: Timestamp = .same) {
    let entry = Entry(time: time, created: place.created, id: id)
    if let lane = place.queuedLane {
      kinds[place.kind]?.lanes[lane]?.remove(entry)
      if kinds[place.kind]?.lanes[lane]?.isEmpty ?? false { kinds[place.kind]?.lanes[lane] = nil }
    } else {
      kinds[place.kind]?.queues[place.priority]?.remove(entry)
      if kinds[place.kind]?.queues[place.priority]?.isEmpty ?? false {
        kinds[place.kind]?.queues[place.priority] = nil
      }
    }
    if kinds[place.kind]?.isEmpty ?? false { kinds[place.kind] = nil }
  }
}

extension Timestamp {
  /// The time of work that becomes due together.
  fileprivate static var same: Timestamp { Timestamp(nanosecondsSinceEpoch: 0) }
}

extension WorkPlace {
  /// The lane of work of which no attempt was started.
  fileprivate var queuedLane: String? { holdsLane ? nil : lane?.name }
}
