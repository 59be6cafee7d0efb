/// Work that a runner may start now, according to a state that may be out of date.
package struct WorkCandidate: Sendable, Hashable, Comparable {
  package let id: PromiseID
  package let kind: String
  package let lane: String?
  /// The time by which due work is ordered: that at which it became due, less a minute for each step of its
  /// priority.
  package let order: Timestamp
  /// The promise whose outcome the work takes over, because it waits for another settlement.
  package let excludedBy: PromiseID?

  package static func < (left: WorkCandidate, right: WorkCandidate) -> Bool {
    (left.order, left.id) < (right.order, right.id)
  }
}

/// The work that is due at one time, or the first part of it.
package struct DueWork: Sendable, Hashable {
  /// The work, in the order in which it should be started.
  package var candidates: [WorkCandidate] = []
  /// The earliest later time at which other work becomes due by itself.
  package var nextTime: Timestamp?
  /// The kinds of which there may be other due work.
  package var incompleteKinds: Set<String> = []
  /// The lanes of work that changed and does not run, so that other work of the lane may start.
  package var freedLanes: Set<String> = []
}

/// The kinds of work that a look covers, and how much of it.
package struct WorkSearch: Sendable {
  package let now: Timestamp
  /// All names of the kinds that the session runs.
  package let kinds: Set<String>
  /// The maximum amount of work of one kind in the result.
  package let limit: Int
  /// The maximum amount of work of one lane in the result.
  package let laneLimit: Int

  package init(now: Timestamp, kinds: Set<String>, limit: Int, laneLimit: Int) {
    self.now = now
    self.kinds = kinds
    self.limit = limit
    self.laneLimit = laneLimit
  }
}

// MARK: - Finding

extension LedgerState {
  /// Finds all due work, or its first part.
  ///
  /// - Complexity: O(n) in the amount of pending work in memory, in that of due work in the snapshot, and in
  ///   the number of promises that work awaits.
  package func dueWork(_ search: WorkSearch) throws(LedgerError) -> DueWork {
    var finder = WorkFinder(self, search)
    for (id, place) in promises.work.all { try finder.look(at: id, place) }
    try finder.lookThroughSnapshot()
    return finder.result
  }

  /// Finds the due work among promises that changed, and the work that awaited one of them.
  package func dueWork(
    among ids: Set<PromiseID>, _ search: WorkSearch
  ) throws(LedgerError) -> DueWork {
    var finder = WorkFinder(self, search)
    for id in ids {
      guard let entity = try promise(id) else { continue }
      if entity.isWork { try finder.lookAtChange(of: entity) }
      if entity.status != .pending { try finder.lookAtWork(awaiting: entity) }
    }
    return finder.result
  }
}

/// Collects due work.
private struct WorkFinder {
  private let state: LedgerState
  private let search: WorkSearch
  private var found = DueWork()
  /// The settled promises among those that were looked up; `nil` for a pending one.
  private var settled: [PromiseID: PromiseEntity?] = [:]

  init(_ state: LedgerState, _ search: WorkSearch) {
    self.state = state
    self.search = search
  }

  var result: DueWork {
    var result = found
    var (kindCounts, laneCounts): ([String: Int], [String: Int]) = ([:], [:])
    result.candidates = found.candidates.sorted().filter { candidate in
      guard candidate.excludedBy == nil else { return true }
      kindCounts[candidate.kind, default: 0] += 1
      var isWithin = kindCounts[candidate.kind, default: 0] <= search.limit
      if let lane = candidate.lane {
        laneCounts[lane, default: 0] += 1
        isWithin = isWithin && laneCounts[lane, default: 0] <= search.laneLimit
      }
      if !isWithin { result.incompleteKinds.insert(candidate.kind) }
      return isWithin
    }
    return result
  }

  // MARK: In memory

  mutating func lookAtChange(of work: PromiseEntity) throws(LedgerError) {
    let place = work.workPlace
    if let place { try look(at: work.id, place) }
    guard !(place?.isRunning ?? false), let lane = try work.workOptions().lane else { return }
    found.freedLanes.insert(lane.name)
  }

  mutating func look(at id: PromiseID, _ place: WorkPlace) throws(LedgerError) {
    guard let trigger = place.trigger, state.blocked[id.entityID] == nil else { return }
    switch trigger {
    case .now: add(id, place, place.createdAt)
    case .at(let time): if isDue(time, place.kind) { add(id, place, time) }
    case .after(let promise, let settlement):
      guard let promise = try settledPromise(promise) else { return }
      add(id, place, promise.settledAt, settlement.isExcluded(by: promise))
    }
  }

  /// Whether a time has come; if not, it is noted.
  private mutating func isDue(_ time: Timestamp, _ kind: String) -> Bool {
    if time <= search.now { return true }
    if search.kinds.contains(kind) { found.nextTime = min(found.nextTime ?? time, time) }
    return false
  }

  private mutating func settledPromise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    if let known = settled[id] { return known }
    // The promise may be of a later version, or damaged; other work must not wait for that.
    let entity = try LedgerError.catchingDamage { () throws(LedgerError) in try state.promise(id) }
    guard case .success(let promise?) = entity, promise.status != .pending else {
      settled[id] = .some(nil)
      return nil
    }
    settled[id] = promise
    return promise
  }

  private mutating func add(
    _ id: PromiseID, _ place: WorkPlace, _ time: Timestamp, _ excluding: PromiseEntity? = nil
  ) {
    add(
      WorkCandidate(
        id: id, kind: place.kind, lane: place.lane?.name, order: time.prioritized(place.priority),
        excludedBy: excluding?.id))
  }

  private mutating func add(_ candidate: WorkCandidate) {
    // Every runner passes an outcome on, because the code does not run.
    guard candidate.excludedBy != nil || search.kinds.contains(candidate.kind) else { return }
    found.candidates.append(candidate)
  }

  // MARK: In the snapshot

  mutating func lookThroughSnapshot() throws(LedgerError) {
    if state.has(.dueWork) { try collect(.dueWork) }
    if state.has(.timedWork) { try collect(.timedWork) }
    guard state.has(.awaitingWork) else { return }
    try state.snapshot.forEachAwaitedPromises { (ids) throws(LedgerError) in
      var state = state
      try state.require(Set(ids.map(\.entityID)))
      for id in ids {
        guard let promise = try? state.promise(id), promise.status != .pending else { continue }
        try lookBelow(awaiting: promise)
      }
    }
  }

  /// Collects the first due work of a list that is ordered by time.
  private mutating func collect(_ list: OpenList) throws(LedgerError) {
    var (kindCounts, laneCounts): ([String: Int], [String: Int]) = ([:], [:])
    var openKinds = search.kinds
    try state.snapshot.forEachEntry(of: list, afterKey: nil, firstSliceCount: 64) {
      (entry) throws(LedgerError) in
      guard !state.isOverlaid(entry.id), state.blocked[entry.id] == nil else { return true }
      let (priority, kind, lane) = try entry.waitingWork()
      guard search.kinds.contains(kind) else { return true }
      var order = entry.deadline
      if list == .timedWork {
        guard isDue(order, kind) else { return false }
        order = order.prioritized(priority)
      }
      if let lane {
        laneCounts[lane, default: 0] += 1
        guard laneCounts[lane, default: 0] <= search.laneLimit else {
          found.incompleteKinds.insert(kind)
          return true
        }
      }
      kindCounts[kind, default: 0] += 1
      guard kindCounts[kind, default: 0] <= search.limit else {
        found.incompleteKinds.insert(kind)
        openKinds.remove(kind)
        return !openKinds.isEmpty
      }
      add(
        WorkCandidate(
          id: PromiseID(entityID: entry.id), kind: kind, lane: lane, order: order, excludedBy: nil))
      return true
    }
  }

  // MARK: Work that awaits a promise

  /// Looks at the work that awaits a settled promise.
  mutating func lookAtWork(awaiting promise: PromiseEntity) throws(LedgerError) {
    for settlement in WorkTrigger.Settlement.allCases {
      let excluding = settlement.isExcluded(by: promise)
      for id in state.promises.work.awaiting(promise.id, settlement) {
        if let place = state.promises.work[id] { add(id, place, promise.settledAt, excluding) }
      }
    }
    if state.has(.awaitingWork) { try lookBelow(awaiting: promise) }
  }

  private mutating func lookBelow(awaiting promise: PromiseEntity) throws(LedgerError) {
    for settlement in WorkTrigger.Settlement.allCases {
      let excluding = settlement.isExcluded(by: promise)
      var count = 0
      try state.snapshot.forEachEntry(
        of: .awaitingWork(promise.id, settlement), afterKey: nil, firstSliceCount: 64
      ) { (entry) throws(LedgerError) in
        guard !state.isOverlaid(entry.id), state.blocked[entry.id] == nil else { return true }
        let (priority, kind, lane) = try entry.waitingWork()
        guard excluding != nil || search.kinds.contains(kind) else { return true }
        guard count < search.limit else {
          found.incompleteKinds.formUnion(search.kinds)
          return false
        }
        count += 1
        add(
          WorkCandidate(
            id: PromiseID(entityID: entry.id), kind: kind, lane: lane,
            order: promise.settledAt.prioritized(priority), excludedBy: excluding?.id))
        return true
      }
    }
  }
}

extension WorkTrigger.Settlement {
  /// The promise, if work that waits for this settlement takes over its outcome.
  fileprivate func isExcluded(by promise: PromiseEntity) -> PromiseEntity? {
    includes(promise.resolution?.outcome) ? nil : promise
  }
}

extension PromiseEntity {
  /// The time of the settlement.
  fileprivate var settledAt: Timestamp {
    resolution?.resolvedAt ?? closing?.fact.time ?? created.time
  }
}
