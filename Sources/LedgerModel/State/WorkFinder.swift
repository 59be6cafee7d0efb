private import HeapModule

/// Collects due work.
struct WorkFinder {
  let state: LedgerState
  let search: WorkSearch
  var found = DueWork()
  /// The settled promises among those that were looked up; `nil` for a pending one.
  private var settled: [PromiseID: SettledPromise?] = [:]
  /// The first of the errors for missing parts of the snapshot, which are noted together.
  private var failure: LedgerError?
  /// Whether the lanes of due work are looked at; otherwise they are only named.
  let looksAtLanes: Bool
  var seenLanes: Set<String> = []
  /// The lanes in which more may start than was found in the first part of their queue, and the first due work that was
  /// seen behind that.
  var deepLanes: [String: [WorkCandidate]] = [:]
  /// Where the work that was found stands among the candidates.
  private var indices: [PromiseID: Int] = [:]
  /// The first work that was found, by kind: one more than the result contains shows that there is more.
  private var first: [String: Heap<WorkCandidate>] = [:]
  /// The amount of work that was found, by kind.
  private var counts: [String: Int] = [:]
  /// Whether all work is looked through.
  private var looksThroughAll = false

  init(_ state: LedgerState, _ search: WorkSearch, looksAtLanes: Bool = true) {
    self.state = state
    self.search = search
    self.looksAtLanes = looksAtLanes
  }

  /// - Throws: The error for missing parts of the snapshot.
  mutating func result() throws(LedgerError) -> DueWork {
    if let failure { throw failure }
    for candidate in deepLanes.values.joined() { add(candidate) }
    var result = found
    // A look through all work sees due work of each of these lanes, if there is any.
    if !deepLanes.isEmpty, !looksThroughAll { result.incompleteKinds.formUnion(search.kinds) }
    var ranks: [String: Int] = [:]
    result.candidates = found.candidates.sorted().filter { candidate in
      guard candidate.excludedBy == nil else { return true }
      ranks[candidate.kind, default: 0] += 1
      guard ranks[candidate.kind, default: 0] > search.limit else { return true }
      result.incompleteKinds.insert(candidate.kind)
      return false
    }
    return result
  }

  // MARK: In memory

  /// Looks at the first work whose time has come.
  mutating func lookThroughTimes() throws(LedgerError) {
    let work = state.promises.work
    for id in work.running {
      if let place = work[id] { try look(at: id, place) }
    }
    for kind in search.kinds {
      if let timed = work.timed.kinds[kind] { try lookAtTimes(of: timed, kind) }
    }
    try lookThroughTimesInSnapshot()
  }

  /// Looks at the first other work that is due.
  mutating func lookThroughTheRest() throws(LedgerError) {
    looksThroughAll = true
    try lookThroughTheRestInMemory()
    if search.looksAtJoints { try lookThroughJoints() }
    try lookThroughTheRestInSnapshot()
  }

  private mutating func lookThroughTheRestInMemory() throws(LedgerError) {
    let work = state.promises.work
    for kind in search.kinds {
      if let queued = work.dueAtOnce.kinds[kind] {
        try look(at: queued, time: { $1.createdAt })
      }
    }
    for ids in Array(work.awaited.elsewhere).slices(of: SnapshotReader.sliceCount) {
      var state = state
      try state.require(Set(ids.map(\.entityID)))
      for id in ids { settled[id] = .some(SettledPromise(try state.readablePromise(id))) }
    }
    for ids in [work.awaited.settled, work.awaited.elsewhere] {
      for id in ids {
        guard let promise = try settledPromise(id) else { continue }
        try lookAtWorkInMemory(awaiting: promise)
      }
    }
  }

  /// Looks at work; if a part of the snapshot is missing, goes on, so that those for all work are noted.
  mutating func lookIfKnown(
    at id: PromiseID, _ place: WorkPlace
  ) throws(LedgerError) {
    do throws(LedgerError) { try look(at: id, place) } catch { try notePart(error) }
  }

  /// Notes an error if a part of the snapshot is missing, so that the look goes on.
  mutating func notePart(_ error: LedgerError) throws(LedgerError) {
    guard state.snapshot.source == nil else { throw error }
    failure = failure ?? error
  }

  /// Looks at the first due work of one kind, as much as the result may contain.
  ///
  /// - Parameters:
  ///   - time: The time at which work became due.
  ///   - isDue: Whether work is due, which the first of each queue is.
  private mutating func look(
    at work: WorkQueues.OfKind, time: (WorkQueues.Entry, WorkPlace) -> Timestamp,
    isDue: (WorkQueues.Entry) -> Bool = { _ in true }
  ) throws(LedgerError) {
    for queue in work.queues.values {
      // One more shows that the result is incomplete.
      var count = 0
      try queue.visit { (entry) throws(LedgerError) in
        guard isDue(entry), count <= search.limit else { return false }
        if let place = state.promises.work[entry.id], state.blocked[entry.id.entityID] == nil {
          try lookIfKnown(at: entry.id, place)
          count += 1
        }
        return true
      }
    }
    try lookAtLanes(of: work, time, isDue)
  }

  /// Notes work of a list, unless more of its kind was found that comes earlier than the limit allows.
  ///
  /// - Parameter count: The amount of work of the kind in the list that was found, or was left out because it comes too
  ///   late. If that exceeds the limit, the rest of the list can be left out, too.
  mutating func note(_ candidate: WorkCandidate, count: inout Int) throws(LedgerError) {
    guard !isBeyondLimit(candidate) else {
      count += 1
      return
    }
    let before = counts[candidate.kind]
    try note(candidate)
    if counts[candidate.kind] != before { count += 1 }
  }

  /// Whether the result contains so much work of the kind that comes earlier that there is no room.
  func isBeyondLimit(_ candidate: WorkCandidate) -> Bool {
    guard let first = first[candidate.kind], first.count > search.limit, let last = first.max
    else { return false }
    return candidate >= last
  }

  /// Looks at the work of one kind whose time has come, and notes the next time.
  private mutating func lookAtTimes(
    of work: WorkQueues.OfKind, _ kind: String
  ) throws(LedgerError) {
    let now = search.now
    try look(at: work, time: { entry, _ in entry.time }, isDue: { $0.time <= now })
    for queues in [Array(work.queues.values), Array(work.lanes.values)] {
      for queue in queues {
        try queue.visit(
          after: { $0.time <= now },
          { (entry) throws(LedgerError) in
            guard state.blocked[entry.id.entityID] == nil else { return true }
            _ = isDue(entry.time, kind)
            return false
          })
      }
    }
  }

  mutating func lookAtChange(of work: PromiseEntity) throws(LedgerError) {
    noteIfMoved(work)
    let lane: WorkLane?
    if let place = state.promises.work[work.id] ?? work.workPlace {
      try look(at: work.id, place)
      guard !place.isRunning else { return }
      lane = place.lane
    } else {
      lane = try work.workOptions().lane
    }
    if let lane { found.freedLanes.insert(lane.name) }
  }

  /// Notes that work may have left another lane, or made its own wider.
  private mutating func noteIfMoved(_ work: PromiseEntity) {
    guard work.progress?.options != nil else { return }
    found.incompleteKinds.formUnion(search.kinds)
  }

  mutating func look(at id: PromiseID, _ place: WorkPlace) throws(LedgerError) {
    guard state.blocked[id.entityID] == nil else { return }
    switch place.phase {
    case .parked: break
    case .running:
      // Another session may take it over.
      guard let time = place.overdueAt, isDue(time, place.kind) else { return }
      add(candidate(id, place, time))
    case .waiting(.now): try note(id, place, place.createdAt)
    case .waiting(.at(let time)): if isDue(time, place.kind) { try note(id, place, time) }
    case .waiting(.after(let promise, let settlement)):
      guard let promise = try settledPromise(promise) else { return }
      try note(id, place, promise.settledAt, settlement.isExcluded(by: promise))
    case .waiting(.firstOf(let condition)):
      if let time = try dueTime(condition, place.kind) { try note(id, place, time) }
    }
  }

  /// The time at which a condition was first met; `nil` if it was not.
  mutating func dueTime(
    _ condition: WorkCondition, _ kind: String
  ) throws(LedgerError) -> Timestamp? {
    var first: Timestamp?
    if let time = condition.time, isDue(time, kind) { first = time }
    for id in condition.promises {
      do throws(LedgerError) {
        guard let promise = try settledPromise(id) else { continue }
        first = min(first ?? promise.settledAt, promise.settledAt)
      } catch {
        try notePart(error)
      }
    }
    return first
  }

  /// Whether a time has come; if not, it is noted.
  mutating func isDue(_ time: Timestamp, _ kind: String) -> Bool {
    if time <= search.now { return true }
    if search.kinds.contains(kind) {
      found.nextTimes[kind] = min(found.nextTimes[kind] ?? time, time)
    }
    return false
  }

  mutating func settledPromise(
    _ id: PromiseID
  ) throws(LedgerError) -> SettledPromise? {
    if let known = settled[id] { return known }
    let promise = SettledPromise(try state.readablePromise(id))
    settled[id] = .some(promise)
    return promise
  }

  /// Notes due work: itself, or the lane that decides which of its work comes next.
  private mutating func note(
    _ id: PromiseID, _ place: WorkPlace, _ time: Timestamp, _ excluding: SettledPromise? = nil
  ) throws(LedgerError) {
    let candidate = candidate(id, place, time, excluding)
    // Work that keeps its place may go on in a lane in which no other work can start.
    if place.holdsLane, !looksAtLanes { add(candidate) }
    try note(candidate)
  }

  mutating func note(_ candidate: WorkCandidate) throws(LedgerError) {
    guard let lane = candidate.lane, candidate.excludedBy == nil else { return add(candidate) }
    guard search.kinds.contains(candidate.kind), mayStartWork(inLane: lane) else { return }
    guard looksAtLanes else {
      found.lanes.insert(lane)
      return
    }
    try lookAt(lane: lane)
    noteInDeepLane(candidate, lane)
  }

  mutating func add(_ candidate: WorkCandidate) {
    // Every runner passes an outcome on, because the code does not run.
    guard candidate.excludedBy != nil || search.kinds.contains(candidate.kind) else { return }
    guard let index = indices[candidate.id] else {
      indices[candidate.id] = found.candidates.count
      if candidate.excludedBy == nil {
        counts[candidate.kind, default: 0] += 1
        noteAmongFirst(candidate)
      }
      return found.candidates.append(candidate)
    }
    // It was found by its time and by each settled promise of its condition: the first of these made it due.
    if candidate.order < found.candidates[index].order { found.candidates[index] = candidate }
  }

  private mutating func noteAmongFirst(_ candidate: WorkCandidate) {
    guard !isBeyondLimit(candidate) else { return }
    first[candidate.kind, default: Heap()].insert(candidate)
    // A difference, because the limit may be the largest number.
    if (first[candidate.kind]?.count ?? 0) - 1 > search.limit {
      first[candidate.kind]?.removeMax()
    }
  }

  func candidate(
    _ id: PromiseID, _ place: WorkPlace, _ time: Timestamp, _ excluding: SettledPromise? = nil
  ) -> WorkCandidate {
    WorkCandidate(
      id: id, kind: place.kind, lane: place.lane?.name, order: time.prioritized(place.priority),
      created: place.created, excludedBy: excluding?.id)
  }

  // MARK: Work that awaits a promise

  /// Looks at the first work in memory that awaits a promise that was settled; if there may be such work in
  /// the snapshot, the promise is named.
  mutating func lookAtSettlement(of promise: SettledPromise) throws(LedgerError) {
    try lookAtWorkInMemory(awaiting: promise)
    try noteJoints(inMemoryOf: promise.id)
    guard state.has(.awaitingWork) || state.has(.joints),
      state.snapshot.mayHold(promise.id.entityID)
    else { return }
    found.awaited.insert(promise.id)
  }

  /// Looks at the first work in memory that awaits a settled promise.
  private mutating func lookAtWorkInMemory(awaiting promise: SettledPromise) throws(LedgerError) {
    settled[promise.id] = promise
    for settlement in WorkTrigger.Settlement.allCases {
      switch state.promises.work.awaited.work(awaiting: promise.id, settlement) {
      case .none: break
      case .one(let id): if let place = state.promises.work[id] { try lookIfKnown(at: id, place) }
      case .many(let queues) where settlement.isExcluded(by: promise) != nil:
        try lookAtFollowers(queues)
      case .many(let queues):
        for kind in search.kinds {
          if let work = queues.kinds[kind] {
            try look(at: work, time: { _, _ in promise.settledAt })
          }
        }
      }
    }
  }

  /// Looks at the first work of any kind that takes over the outcome of the promise that it awaits.
  private mutating func lookAtFollowers(_ queues: WorkQueues) throws(LedgerError) {
    var count = 0
    try queues.visitIDs { (id) throws(LedgerError) in
      guard let place = state.promises.work[id], state.blocked[id.entityID] == nil else {
        return true
      }
      guard count < search.limit else {
        found.incompleteKinds.formUnion(search.kinds)
        return false
      }
      try lookIfKnown(at: id, place)
      count += 1
      return true
    }
  }
}

/// What work learns of a settled promise that it awaits.
struct SettledPromise: Sendable {
  let id: PromiseID
  /// The time of the settlement.
  let settledAt: Timestamp
  /// The kind of the outcome; `nil` if the promise was abandoned.
  let outcome: PromiseOutcomeKind?

  /// - Returns: `nil` if there is no promise, or it is pending.
  init?(_ entity: PromiseEntity?) {
    guard let entity, entity.status != .pending else { return nil }
    id = entity.id
    settledAt = entity.settledAt
    outcome = entity.resolution?.outcome
  }
}

extension WorkTrigger.Settlement {
  /// The promise, if work that waits for this settlement takes over its outcome.
  func isExcluded(by promise: SettledPromise) -> SettledPromise? {
    includes(promise.outcome) ? nil : promise
  }
}

extension PromiseEntity {
  /// The time of the settlement.
  var settledAt: Timestamp {
    resolution?.resolvedAt ?? closing?.fact.time ?? created.time
  }
}
