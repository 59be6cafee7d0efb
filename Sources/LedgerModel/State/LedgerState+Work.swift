// MARK: - Work

extension LedgerState {
  /// The open promises that code settles, in the order of their creation.
  ///
  /// - Complexity: O(n log n) in the number of all open promises.
  package func openWork() throws(LedgerError) -> [PromiseEntity] {
    Self.inOrder(promises.open.filter(\.isWork) + (try promisesBelow(.work)))
  }

  /// All open promises, in the order of their creation.
  ///
  /// - Complexity: O(n log n) in their number.
  package func openPromisesAndWork() throws(LedgerError) -> [PromiseEntity] {
    Self.inOrder(try openPromises() + openWork())
  }

  /// The work of which a session is running an attempt, in the order of its creation.
  ///
  /// - Complexity: O(n log n) in the amount of work that is being run.
  package func runningWork(of session: SessionID) throws(LedgerError) -> [PromiseEntity] {
    let running = promises.work.running.compactMap { promises[$0] }
      .filter { $0.progress?.runningSession == session }
    return Self.inOrder(running + (try promisesBelow(.running(session))))
  }

  /// The work that waits for a settlement of a promise, in the order of ids.
  ///
  /// - Parameter limit: The maximum number of ids.
  package func work(
    awaiting promise: PromiseID, _ settlement: WorkTrigger.Settlement, limit: Int
  ) throws(LedgerError) -> [PromiseID] {
    var waiting = Array(promises.work.awaiting(promise, settlement))
    if has(.awaitingWork) {
      var count = 0
      try snapshot.forEachEntry(
        of: .awaitingWork(promise, settlement), afterKey: nil, firstSliceCount: limit
      ) { (entry) throws(LedgerError) in
        if !isOverlaid(entry.id) {
          waiting.append(PromiseID(entityID: entry.id))
          count += 1
        }
        return count < limit
      }
    }
    return Array(waiting.sorted().prefix(limit))
  }

  /// The work that counts against the width of a lane, in no particular order.
  package func holders(ofLane name: String) throws(LedgerError) -> [PromiseEntity] {
    let holders = promises.work[lane: name]?.holders.compactMap { promises[$0] } ?? []
    return has(.lanes) ? holders + (try promisesBelow(.lane(name, .held))) : holders
  }

  /// Work of a lane of which no attempt was started.
  package struct QueuedWork: Sendable, Hashable {
    package let id: PromiseID
    package let created: Position
    package let trigger: WorkTrigger
  }

  /// The first work of a lane of which no attempt was started, in the order of its creation.
  ///
  /// - Parameters:
  ///   - position: Only work that was created before this position.
  ///   - limit: The maximum number of results.
  package func queue(
    ofLane name: String, before position: Position, limit: Int
  ) throws(LedgerError) -> [QueuedWork] {
    var queued: [QueuedWork] = []
    for member in promises.work.queue(ofLane: name) {
      guard member.created < position, queued.count < limit else { break }
      guard let trigger = promises.work[member.id]?.trigger else { continue }
      queued.append(QueuedWork(id: member.id, created: member.created, trigger: trigger))
    }
    guard has(.lanes) else { return queued }
    var count = 0
    try snapshot.forEachEntry(
      of: .lane(name, .queued), afterKey: nil, firstSliceCount: limit
    ) { (entry) throws(LedgerError) in
      guard entry.position < position, count < limit else { return false }
      guard !isOverlaid(entry.id) else { return true }
      queued.append(
        QueuedWork(
          id: PromiseID(entityID: entry.id), created: entry.position,
          trigger: try entry.laneTrigger()))
      count += 1
      return true
    }
    return Array(queued.sorted { $0.created < $1.created }.prefix(limit))
  }

  /// The lane of work in memory, if more of its work runs than one of them allows.
  package func overfilledLane(of id: PromiseID) -> WorkLane? {
    guard let lane = promises.work[id]?.lane, let members = promises.work[lane: lane.name] else {
      return nil
    }
    let running = members.holders.compactMap { promises.work[$0] }.filter(\.isRunning)
    guard let narrowest = running.compactMap(\.lane).min(by: { $0.width < $1.width }),
      running.count > narrowest.width
    else { return nil }
    return narrowest
  }

  /// Whether the snapshot has entries in a list.
  func has(_ list: OpenList.Kind) -> Bool { snapshot.summary.counts.lists[list] > 0 }
}
