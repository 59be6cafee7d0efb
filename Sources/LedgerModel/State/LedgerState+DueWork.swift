/// Work that a runner may start now, according to a state that may be out of date.
package struct WorkCandidate: Sendable, Hashable, Comparable {
  package let id: PromiseID
  package let kind: String
  package let lane: String?
  /// The time by which due work is ordered: that at which it became due, less a minute for each step of its
  /// priority.
  package let order: Timestamp
  /// The position of the creation.
  package let created: Position
  /// The promise whose outcome the work takes over, because it waits for another settlement.
  package let excludedBy: PromiseID?

  package static func < (left: WorkCandidate, right: WorkCandidate) -> Bool {
    (left.order, left.created, left.id) < (right.order, right.created, right.id)
  }
}

/// The work that is due at one time, or the first part of it.
package struct DueWork: Sendable, Hashable {
  /// The work, in the order in which it should be started. Of a lane, only the work that may come next.
  package var candidates: [WorkCandidate] = []
  /// The earliest later time at which other work becomes due by itself.
  package var nextTime: Timestamp?
  /// The kinds of which there may be other due work.
  package var incompleteKinds: Set<String> = []
  /// The lanes with due work that were not looked through.
  package var lanes: Set<String> = []
  /// The lanes of work that changed and does not run, so that other work of the lane may start.
  package var freedLanes: Set<String> = []
  /// The settled promises that work and joints in the snapshot may await, which were not looked at.
  package var awaited: Set<PromiseID> = []
  /// The pending joints with a settled input.
  package var joints: Set<PromiseID> = []
}

/// The kinds of work that a look covers, and how much of it.
package struct WorkSearch: Sendable {
  package let now: Timestamp
  /// All names of the kinds that the session runs.
  package let kinds: Set<String>
  /// The maximum number of lanes that one search looks at.
  static let maximumLaneCount = 1_024

  /// The maximum amount of work of one kind in the result.
  package let limit: Int
  /// The maximum amount of work of one lane in the result of which no attempt was started.
  package let laneLimit: Int
  /// The lanes whose work cannot start now.
  package let fullLanes: Set<String>

  package init(
    now: Timestamp, kinds: Set<String>, limit: Int, laneLimit: Int, fullLanes: Set<String> = []
  ) {
    self.now = now
    self.kinds = kinds
    self.limit = limit
    self.laneLimit = laneLimit
    self.fullLanes = fullLanes
  }
}

// MARK: - Finding

extension LedgerState {
  /// The maximum amount of queued work of a lane that is examined.
  package static let maximumQueueCount = 256

  /// Finds all due work, or its first part.
  ///
  /// - Complexity: O(n) in the amount of pending work in memory, in that of due work in the snapshot, and in
  ///   the number of promises that work awaits.
  package func dueWork(_ search: WorkSearch) throws(LedgerError) -> DueWork {
    var finder = WorkFinder(self, search)
    for (id, place) in promises.work.all { try finder.look(at: id, place) }
    try finder.lookAtJointsInMemory()
    try finder.lookThroughSnapshot()
    try finder.lookAtNotedLanes()
    return finder.result
  }

  /// Finds the due work among promises that changed, and the work in memory that awaited one of them. Lanes,
  /// and work in the snapshot, are only named.
  package func dueWork(
    among ids: Set<PromiseID>, _ search: WorkSearch
  ) throws(LedgerError) -> DueWork {
    var finder = WorkFinder(self, search)
    for id in ids {
      // Other work must not wait for a record that this build cannot read.
      guard let entity = try readablePromise(id) else { continue }
      if entity.isWork { try finder.lookAtChange(of: entity) }
      if entity.status != .pending { try finder.lookAtWorkInMemory(awaiting: entity) }
    }
    return finder.result
  }

  /// Finds the due work of lanes, and the work in the snapshot that awaits settled promises.
  package func dueWork(
    inLanes lanes: Set<String>, awaiting promises: Set<PromiseID>, _ search: WorkSearch
  ) throws(LedgerError) -> DueWork {
    var finder = WorkFinder(self, search)
    for id in promises {
      guard let promise = try readablePromise(id), promise.status != .pending else { continue }
      try finder.lookBelow(awaiting: promise)
    }
    for lane in lanes { try finder.lookAt(lane: lane) }
    try finder.lookAtNotedLanes()
    return finder.result
  }

  /// The parts of the snapshot that looking at lanes and awaited promises needs.
  package func needs(
    ofLanes lanes: Set<String>, awaiting promises: Set<PromiseID>
  ) -> SnapshotNeeds {
    var needs = SnapshotNeeds(ids: Set(promises.map(\.entityID)))
    let page = SnapshotNeeds.Page(key: nil, limit: SnapshotReader.sliceCount)
    if has(.lanes) {
      for lane in lanes {
        needs.lists.insert(.lane(lane, .held))
        needs.pages[.lane(lane, .queued)] = page
      }
    }
    if has(.joints) {
      for promise in promises { needs.pages[.joints(promise)] = page }
    }
    if has(.awaitingWork) {
      for promise in promises {
        for settlement in WorkTrigger.Settlement.allCases {
          needs.pages[.awaitingWork(promise, settlement)] = page
        }
      }
    }
    return needs
  }

  /// The promise, if this build can read its record.
  package func readablePromise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    do throws(LedgerError) {
      return try promise(id)
    } catch {
      guard error.isOfUnreadableItem else { throw error }
      return nil
    }
  }
}

/// Collects due work.
private struct WorkFinder {
  private let state: LedgerState
  private let search: WorkSearch
  private var found = DueWork()
  /// The settled promises among those that were looked up; `nil` for a pending one.
  private var settled: [PromiseID: PromiseEntity?] = [:]
  private var seenLanes: Set<String> = []
  /// The work that was found.
  private var ids: Set<PromiseID> = []

  init(_ state: LedgerState, _ search: WorkSearch) {
    self.state = state
    self.search = search
  }

  var result: DueWork {
    var result = found
    var counts: [String: Int] = [:]
    result.candidates = found.candidates.sorted().filter { candidate in
      guard candidate.excludedBy == nil else { return true }
      counts[candidate.kind, default: 0] += 1
      guard counts[candidate.kind, default: 0] > search.limit else { return true }
      result.incompleteKinds.insert(candidate.kind)
      return false
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
    guard state.blocked[id.entityID] == nil else { return }
    switch place.phase {
    case .parked: break
    case .running:
      // Another session may take it over.
      guard let time = place.overdueAt, isDue(time, place.kind) else { return }
      add(candidate(id, place, time))
    case .waiting(.now): note(id, place, place.createdAt)
    case .waiting(.at(let time)): if isDue(time, place.kind) { note(id, place, time) }
    case .waiting(.after(let promise, let settlement)):
      guard let promise = try settledPromise(promise) else { return }
      note(id, place, promise.settledAt, settlement.isExcluded(by: promise))
    case .waiting(.firstOf(let condition)):
      if let time = try dueTime(condition, place.kind) { note(id, place, time) }
    }
  }

  /// The time at which a condition was first met; `nil` if it was not.
  private mutating func dueTime(
    _ condition: WorkCondition, _ kind: String
  ) throws(LedgerError) -> Timestamp? {
    var first: Timestamp?
    if let time = condition.time, isDue(time, kind) { first = time }
    for id in condition.promises {
      guard let promise = try settledPromise(id) else { continue }
      first = min(first ?? promise.settledAt, promise.settledAt)
    }
    return first
  }

  /// Whether a time has come; if not, it is noted.
  private mutating func isDue(_ time: Timestamp, _ kind: String) -> Bool {
    if time <= search.now { return true }
    if search.kinds.contains(kind) { found.nextTime = min(found.nextTime ?? time, time) }
    return false
  }

  private mutating func settledPromise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    if let known = settled[id] { return known }
    guard let promise = try state.readablePromise(id), promise.status != .pending else {
      settled[id] = .some(nil)
      return nil
    }
    settled[id] = promise
    return promise
  }

  /// Notes due work: itself, or the lane that decides which of its work comes next.
  private mutating func note(
    _ id: PromiseID, _ place: WorkPlace, _ time: Timestamp, _ excluding: PromiseEntity? = nil
  ) {
    let candidate = candidate(id, place, time, excluding)
    // Work that keeps its place may go on in a lane in which no other work can start.
    if place.holdsLane { add(candidate) }
    note(candidate)
  }

  private mutating func note(_ candidate: WorkCandidate) {
    guard let lane = candidate.lane, candidate.excludedBy == nil else { return add(candidate) }
    guard search.kinds.contains(candidate.kind), !search.fullLanes.contains(lane) else { return }
    guard found.lanes.count < WorkSearch.maximumLaneCount || found.lanes.contains(lane) else {
      found.incompleteKinds.insert(candidate.kind)
      return
    }
    found.lanes.insert(lane)
  }

  private mutating func add(_ candidate: WorkCandidate) {
    // Every runner passes an outcome on, because the code does not run.
    guard candidate.excludedBy != nil || search.kinds.contains(candidate.kind) else { return }
    // Work may have changed together with the promise that it awaits.
    if ids.insert(candidate.id).inserted { found.candidates.append(candidate) }
  }

  private func candidate(
    _ id: PromiseID, _ place: WorkPlace, _ time: Timestamp, _ excluding: PromiseEntity? = nil
  ) -> WorkCandidate {
    WorkCandidate(
      id: id, kind: place.kind, lane: place.lane?.name, order: time.prioritized(place.priority),
      created: place.created, excludedBy: excluding?.id)
  }

  // MARK: Lanes

  mutating func lookAtNotedLanes() throws(LedgerError) {
    for lane in found.lanes { try lookAt(lane: lane) }
    found.lanes = []
  }

  /// Adds the work of a lane that may come next: all that keeps its place, and the first of the rest in the
  /// order of creation.
  mutating func lookAt(lane: String) throws(LedgerError) {
    guard seenLanes.insert(lane).inserted else { return }
    for holder in try state.holders(ofLane: lane) where !holder.isRunning {
      guard let place = try state.readablePromise(holder.id)?.workPlace else { continue }
      try addHead(holder.id, place)
    }
    var count = 0
    let queue = try state.queue(
      ofLane: lane, before: Position(rawValue: .max), limit: LedgerState.maximumQueueCount)
    for queued in queue where count < search.laneLimit {
      guard let work = try state.readablePromise(queued.id), let place = work.workPlace else {
        continue
      }
      if try addHead(queued.id, place) { count += 1 }
    }
  }

  /// Adds work if it is due.
  ///
  /// - Returns: Whether it is due, even if it is of a kind that the session does not run.
  @discardableResult
  private mutating func addHead(
    _ id: PromiseID, _ place: WorkPlace
  ) throws(LedgerError) -> Bool {
    guard let trigger = place.trigger, state.blocked[id.entityID] == nil else { return false }
    switch trigger {
    case .now:
      add(candidate(id, place, place.createdAt))
      return true
    case .at(let time):
      guard isDue(time, place.kind) else { return false }
      add(candidate(id, place, time))
      return true
    case .after(let promise, let settlement):
      guard let promise = try settledPromise(promise),
        settlement.isExcluded(by: promise) == nil
      else { return false }
      add(candidate(id, place, promise.settledAt))
      return true
    case .firstOf(let condition):
      guard let time = try dueTime(condition, place.kind) else { return false }
      add(candidate(id, place, time))
      return true
    }
  }

  // MARK: In the snapshot

  mutating func lookThroughSnapshot() throws(LedgerError) {
    if state.has(.dueWork) { try collect(.dueWork) }
    if state.has(.timedWork) { try collect(.timedWork) }
    if state.has(.running) { try lookAtRunning() }
    if state.has(.awaitingWork) { try lookAtAwaited(.awaitingWork) }
    if state.has(.joints) { try lookAtAwaited(.joints) }
  }

  private mutating func lookAtAwaited(_ list: OpenList.Kind) throws(LedgerError) {
    try state.snapshot.forEachAwaitedPromises(in: list) { (ids) throws(LedgerError) in
      var state = state
      try state.require(Set(ids.map(\.entityID)))
      for id in ids {
        guard let promise = try state.readablePromise(id), promise.status != .pending else {
          continue
        }
        try lookBelow(awaiting: promise)
      }
    }
  }

  /// Looks at work in the snapshot that runs, and that another session may take over some time.
  private mutating func lookAtRunning() throws(LedgerError) {
    try state.snapshot.forEachRunningID { (ids) throws(LedgerError) in
      let ids = ids.filter { !state.isOverlaid($0) }
      for entity in try state.snapshot.entities(ids) {
        guard case .promise(let promise)? = entity, let place = promise.workPlace else { continue }
        try look(at: promise.id, place)
      }
    }
  }

  /// Collects the first due work of a list that is ordered by time.
  private mutating func collect(_ list: OpenList) throws(LedgerError) {
    var tally = KindTally(search)
    try state.snapshot.forEachEntry(of: list, afterKey: nil, firstSliceCount: 64) {
      (entry) throws(LedgerError) in
      guard !state.isOverlaid(entry.id), state.blocked[entry.id] == nil else { return true }
      let work = try entry.waitingWork()
      guard search.kinds.contains(work.kind) else { return true }
      var order = entry.deadline
      if list == .timedWork {
        guard isDue(order, work.kind) else { return false }
        order = order.prioritized(work.priority)
      }
      guard work.lane != nil || tally.takes(work.kind) else {
        found.incompleteKinds.insert(work.kind)
        return tally.hasRoom
      }
      note(
        WorkCandidate(
          id: PromiseID(entityID: entry.id), kind: work.kind, lane: work.lane, order: order,
          created: work.created, excludedBy: nil))
      return true
    }
  }

  // MARK: Work that awaits a promise

  /// Looks at the work in memory that awaits a settled promise.
  mutating func lookAtWorkInMemory(awaiting promise: PromiseEntity) throws(LedgerError) {
    for settlement in WorkTrigger.Settlement.allCases {
      let excluding = settlement.isExcluded(by: promise)
      for (count, id) in state.promises.work.awaiting(promise.id, settlement).enumerated() {
        guard count < search.limit else {
          found.incompleteKinds.formUnion(search.kinds)
          break
        }
        guard let place = state.promises.work[id], state.blocked[id.entityID] == nil else {
          continue
        }
        note(id, place, promise.settledAt, excluding)
      }
    }
    try noteJoints(inMemoryOf: promise.id)
    guard state.has(.awaitingWork) || state.has(.joints),
      state.snapshot.mayHold(promise.id.entityID)
    else { return }
    found.awaited.insert(promise.id)
  }

  // MARK: Joints

  /// Notes the joints in memory with settled inputs.
  mutating func lookAtJointsInMemory() throws(LedgerError) {
    for id in state.promises.joints.allInputs where try settledPromise(id) != nil {
      try noteJoints(inMemoryOf: id)
    }
  }

  private mutating func noteJoints(inMemoryOf input: PromiseID) throws(LedgerError) {
    for id in state.promises.joints[input] { try noteIfDecided(id) }
  }

  /// Notes a joint, but not if the commit that settled an input found it undecided.
  private mutating func noteIfDecided(_ id: PromiseID) throws(LedgerError) {
    guard state.blocked[id.entityID] == nil, let joint = try state.readablePromise(id)?.joint,
      try state.verdict(on: joint) != .undecided
    else { return }
    found.joints.insert(id)
  }

  private mutating func noteJointsBelow(_ input: PromiseID) throws(LedgerError) {
    guard state.has(.joints) else { return }
    for id in try state.joints(awaiting: input, limit: search.limit) { try noteIfDecided(id) }
  }

  mutating func lookBelow(awaiting promise: PromiseEntity) throws(LedgerError) {
    try noteJointsBelow(promise.id)
    guard state.has(.awaitingWork) else { return }
    for settlement in WorkTrigger.Settlement.allCases {
      let excluding = settlement.isExcluded(by: promise)
      var tally = KindTally(search)
      var followerCount = 0
      try state.snapshot.forEachEntry(
        of: .awaitingWork(promise.id, settlement), afterKey: nil, firstSliceCount: 64
      ) { (entry) throws(LedgerError) in
        guard !state.isOverlaid(entry.id), state.blocked[entry.id] == nil else { return true }
        let work = try entry.waitingWork()
        if excluding != nil {
          followerCount += 1
          guard followerCount <= search.limit else {
            // Work of any kind takes over the outcome.
            found.incompleteKinds.formUnion(search.kinds)
            return false
          }
        } else {
          guard search.kinds.contains(work.kind) else { return true }
          guard work.lane != nil || tally.takes(work.kind) else {
            found.incompleteKinds.insert(work.kind)
            return tally.hasRoom
          }
        }
        // It may keep its place in a lane in which no other work can start.
        if settlement == .any, let lane = work.lane { found.lanes.insert(lane) }
        note(
          WorkCandidate(
            id: PromiseID(entityID: entry.id), kind: work.kind, lane: work.lane,
            order: promise.settledAt.prioritized(work.priority), created: work.created,
            excludedBy: excluding?.id))
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
  var settledAt: Timestamp {
    resolution?.resolvedAt ?? closing?.fact.time ?? created.time
  }
}
