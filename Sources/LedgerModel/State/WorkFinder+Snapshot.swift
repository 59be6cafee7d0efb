// MARK: - In the snapshot

extension WorkFinder {
  mutating func lookThroughTimesInSnapshot() throws(LedgerError) {
    if state.has(.timedWork) {
      for kind in search.kinds { try collect(.timedWork(kind), of: kind) }
    }
    if state.has(.running) { try lookAtRunning() }
  }

  mutating func lookThroughTheRestInSnapshot() throws(LedgerError) {
    if state.has(.dueWork) {
      for kind in search.kinds { try collect(.dueWork(kind), of: kind) }
    }
    if state.has(.awaitingWork) { try lookAtAwaited(.awaitingWork) }
    if state.has(.joints), search.looksAtJoints { try lookAtAwaited(.joints) }
  }

  private mutating func lookAtAwaited(_ list: OpenList.Kind) throws(LedgerError) {
    try state.snapshot.forEachAwaitedPromises(in: list) { (ids) throws(LedgerError) in
      var state = state
      try state.require(Set(ids.map(\.entityID)))
      for id in ids {
        guard let promise = SettledPromise(try state.readablePromise(id)) else { continue }
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

  /// Collects the first due work of a list of one kind that is ordered by time.
  private mutating func collect(_ list: OpenList, of kind: String) throws(LedgerError) {
    var count = 0
    try state.snapshot.forEachEntry(of: list, afterKey: nil, firstSliceCount: 64) {
      (entry) throws(LedgerError) in
      guard !state.isOverlaid(entry.id), state.blocked[entry.id] == nil else { return true }
      let work = try entry.waitingWork(of: kind)
      var order = entry.deadline
      if list.kind == .timedWork {
        guard isDue(order, kind) else { return false }
        order = order.prioritized(work.priority)
      }
      let candidate = WorkCandidate(
        id: PromiseID(entityID: entry.id), kind: kind, lane: work.lane, order: order,
        created: work.created, excludedBy: nil)
      try note(candidate, count: &count)
      return count <= search.limit
    }
  }

  mutating func lookBelow(awaiting promise: SettledPromise) throws(LedgerError) {
    try noteJoints(inSnapshotOf: promise.id)
    guard state.has(.awaitingWork) else { return }
    for settlement in WorkTrigger.Settlement.allCases {
      let excluding = settlement.isExcluded(by: promise)
      var followerCount = 0
      var counts: [String: Int] = [:]
      try state.snapshot.forEachEntry(
        of: .awaitingWork(promise.id, settlement), afterKey: nil, firstSliceCount: 64
      ) { (entry) throws(LedgerError) in
        guard !state.isOverlaid(entry.id), state.blocked[entry.id] == nil else { return true }
        let work = try entry.waitingWork()
        let candidate = WorkCandidate(
          id: PromiseID(entityID: entry.id), kind: work.kind, lane: work.lane,
          order: promise.settledAt.prioritized(work.priority), created: work.created,
          excludedBy: excluding?.id)
        if excluding != nil {
          followerCount += 1
          guard followerCount <= search.limit else {
            // Work of any kind takes over the outcome.
            found.incompleteKinds.formUnion(search.kinds)
            return false
          }
          // No code runs, so the limit of the due work of its kind does not hold.
          add(candidate)
          return true
        }
        guard search.kinds.contains(work.kind) else { return true }
        guard counts[work.kind, default: 0] <= search.limit else {
          return search.kinds.contains { counts[$0, default: 0] <= search.limit }
        }
        try note(candidate, count: &counts[work.kind, default: 0])
        return true
      }
    }
  }
}
