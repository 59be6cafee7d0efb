// MARK: - Lanes

extension WorkFinder {
  /// Looks at the first due work of the lanes of one kind.
  mutating func lookAtLanes(
    of work: WorkQueues.OfKind, _ time: (WorkQueues.Entry, WorkPlace) -> Timestamp,
    _ isDue: (WorkQueues.Entry) -> Bool
  ) throws(LedgerError) {
    var heads: [(candidate: WorkCandidate, place: WorkPlace)] = []
    for (lane, queue) in work.lanes where mayStartWork(inLane: lane) {
      try queue.visit { (entry) throws(LedgerError) in
        guard isDue(entry) else { return false }
        guard let place = state.promises.work[entry.id], state.blocked[entry.id.entityID] == nil
        else { return true }
        heads.append((candidate(entry.id, place, time(entry, place)), place))
        return false
      }
    }
    // In order, so that each lane that is left out begins with work that comes later.
    heads.sort { $0.candidate < $1.candidate }
    for (head, place) in heads where !isBeyondLimit(head) {
      try lookIfKnown(at: head.id, place)
    }
  }

  /// Whether a look at due work of a lane may find work that can start, as far as is known.
  func mayStartWork(inLane lane: String) -> Bool {
    guard looksAtLanes else { return !search.fullLanes.contains(lane) }
    return !seenLanes.contains(lane) || deepLanes[lane] != nil
  }

  /// Adds the work of a lane that may start now: that which keeps its place, and the first of the rest in the order of
  /// creation.
  mutating func lookAt(lane: String) throws(LedgerError) {
    guard seenLanes.insert(lane).inserted else { return }
    do throws(LedgerError) { try addWork(ofLane: lane) } catch { try notePart(error) }
  }

  private mutating func addWork(ofLane lane: String) throws(LedgerError) {
    let holders = try state.holders(ofLane: lane)
    let width = holders.map(\.width).min() ?? .max
    guard holders.count(where: \.isRunning) < width else { return }
    for holder in holders where !holder.isRunning {
      guard let place = try state.readablePromise(holder.id)?.workPlace,
        let candidate = try dueCandidate(holder.id, place)
      else { continue }
      add(candidate)
    }
    let queue = try state.queue(
      ofLane: lane, before: Position(rawValue: .max), limit: LedgerState.maximumQueueCount)
    // The work that comes before the next one.
    var aheadCount = holders.count
    var count = 0
    for queued in queue.work where aheadCount < width && count < search.laneLimit {
      guard let place = try state.readablePromise(queued.id)?.workPlace,
        let candidate = try dueCandidate(queued.id, place)
      else { continue }
      // Work of other kinds must not hide the rest of a lane that is wide enough.
      if aheadCount < place.lane?.width ?? .max, search.kinds.contains(place.kind) {
        add(candidate)
        count += 1
      }
      aheadCount += 1
    }
    if !queue.isComplete, aheadCount < width, count < search.laneLimit { deepLanes[lane] = [] }
  }

  /// Notes due work of a deep lane: as much of each kind as is remembered of a lane, in the order of creation.
  mutating func noteInDeepLane(_ candidate: WorkCandidate, _ lane: String) {
    guard var candidates = deepLanes[lane], !candidates.contains(where: { $0.id == candidate.id })
    else { return }
    candidates.append(candidate)
    let ofKind = candidates.filter { $0.kind == candidate.kind }
    if ofKind.count > search.laneLimit, let last = ofKind.max(by: { $0.created < $1.created }) {
      candidates.removeAll { $0.id == last.id }
    }
    deepLanes[lane] = candidates
  }

  /// Work of a lane, of any kind, if it is due.
  private mutating func dueCandidate(
    _ id: PromiseID, _ place: WorkPlace
  ) throws(LedgerError) -> WorkCandidate? {
    guard let trigger = place.trigger, state.blocked[id.entityID] == nil else { return nil }
    switch trigger {
    case .now:
      return candidate(id, place, place.createdAt)
    case .at(let time):
      return isDue(time, place.kind) ? candidate(id, place, time) : nil
    case .after(let promise, let settlement):
      guard let promise = try settledPromise(promise),
        settlement.isExcluded(by: promise) == nil
      else { return nil }
      return candidate(id, place, promise.settledAt)
    case .firstOf(let condition):
      return try dueTime(condition, place.kind).map { candidate(id, place, $0) }
    }
  }
}
