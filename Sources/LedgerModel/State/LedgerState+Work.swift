// MARK: - Work

extension LedgerState {
  /// The open promises that code settles, in the order of their creation.
  ///
  /// - Complexity: O(n log n) in the number of all open promises.
  package func openWork() throws(LedgerError) -> [PromiseEntity] {
    try openComputedPromises().filter(\.isWork)
  }

  /// The open promises that code or other promises settle, in the order of their creation.
  ///
  /// - Complexity: O(n log n) in the number of all open promises.
  package func openComputedPromises() throws(LedgerError) -> [PromiseEntity] {
    Self.inOrder(promises.open.filter(\.isComputed) + (try promisesBelow(.work)))
  }

  /// All open promises, in the order of their creation.
  ///
  /// - Complexity: O(n log n) in their number.
  package func openPromisesAndWork() throws(LedgerError) -> [PromiseEntity] {
    Self.inOrder(try openPromises() + openComputedPromises())
  }

  /// The work of which a session is running an attempt, in the order of its creation.
  ///
  /// - Complexity: O(n log n) in the amount of work that is being run.
  package func runningWork(of session: SessionID) throws(LedgerError) -> [PromiseEntity] {
    let running = promises.work.running.compactMap { promises[$0] }
      .filter { $0.progress?.runningSession == session }
    return Self.inOrder(running + (try promisesBelow(.running(session))))
  }

  /// The work whose newest attempt runs in a session that has ended; see ``ReleaseLeftWork``.
  ///
  /// - Parameters:
  ///   - own: A session that has not ended.
  ///   - limit: The maximum number of results, in the order of ids.
  ///   - includesSnapshot: Whether to look at work in the snapshot, too.
  /// - Complexity: O(n log n) in the amount of work that is being run.
  package func leftWork(
    besides own: SessionID, limit: Int, includesSnapshot: Bool
  ) throws(LedgerError) -> [PromiseID] {
    var running = promises.work.running.compactMap { promises[$0] }
    if includesSnapshot, has(.running) {
      try snapshot.forEachRunningID { (ids) throws(LedgerError) in
        running += try snapshot.entities(ids.filter { !isOverlaid($0) }).compactMap { $0?.promise }
      }
    }
    running.removeAll { $0.progress?.runningSession == own }
    guard !running.isEmpty else { return [] }
    var state = self
    try state.require(Set(running.compactMap { $0.progress?.runningSession?.entityID }))
    var left: [PromiseID] = []
    for work in running {
      guard let session = work.progress?.runningSession, blocked[session.entityID] == nil else {
        continue
      }
      do throws(LedgerError) {
        if try state.session(session)?.isEnded ?? true { left.append(work.id) }
      } catch {
        guard error.isOfUnreadableItem else { throw error }
      }
    }
    return Array(left.sorted().prefix(limit))
  }

  /// The work that waits for a settlement of a promise, in the order of ids.
  ///
  /// - Parameter limit: The maximum number of ids.
  package func work(
    awaiting promise: PromiseID, _ settlement: WorkTrigger.Settlement, limit: Int
  ) throws(LedgerError) -> [PromiseID] {
    var waiting = promises.work.firstWork(awaiting: promise, settlement, limit: limit)
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
    return waiting.isEmpty ? [] : Array(waiting.sorted().prefix(limit))
  }

  /// The pending joints with a promise among their inputs, in the order of ids.
  ///
  /// - Parameter limit: The maximum number of ids.
  package func joints(awaiting promise: PromiseID, limit: Int) throws(LedgerError) -> [PromiseID] {
    try pending(.joints(promise), promises.joints[promise], limit: limit)
  }

  /// The effect of the present outcomes of its inputs on a joint. It waits for inputs that this build cannot read.
  package func verdict(on joint: PromiseCreated.Joint) throws(LedgerError) -> JointVerdict {
    var inputs: [JointVerdict.Input] = []
    for id in joint.inputs {
      inputs.append(JointVerdict.Input(id, try readablePromise(id)?.settlement))
    }
    return JointVerdict(joint.rule, of: inputs)
  }

  /// Whether the inputs of a fulfilled joint in memory contradict its outcome. It is unknown, and so not claimed, if
  /// one of them is not in memory.
  package func contradictsItsInputs(_ id: PromiseID) -> Bool {
    guard let entity = promises[id], entity.resolution?.outcome == .fulfilled,
      let joint = entity.joint, let content = (try? entity.resolved())?.content
    else { return false }
    let inputs = joint.inputs.compactMap { promises[$0] }
    guard inputs.count == joint.inputs.count,
      let chosen = try? PromiseResolved.input(inJointContent: content)
    else { return content.count != 0 && content.count != 16 }
    let verdict = JointVerdict(joint.rule, of: inputs.map { .init($0.id, $0.settlement) })
    return verdict != .fulfilled(by: chosen)
  }

  /// The pending promises that belong to work, in the order of ids.
  ///
  /// - Parameters:
  ///   - parent: The promise of the work.
  ///   - last: Only later ids are wanted; `nil` for all.
  ///   - limit: The maximum number of ids.
  package func children(
    of parent: PromiseID, after last: PromiseID? = nil, limit: Int
  ) throws(LedgerError) -> [PromiseID] {
    try pending(.children(parent), promises.children[parent], after: last, limit: limit)
  }

  private func pending(
    _ list: OpenList, _ inMemory: Set<PromiseID>, after last: PromiseID? = nil, limit: Int
  ) throws(LedgerError) -> [PromiseID] {
    if inMemory.isEmpty, !has(list.kind) { return [] }
    var ids = inMemory.filter { id in last.map { $0 < id } ?? true }
    if has(list.kind) {
      var count = 0
      let key = last.map { list.key($0.entityID) }
      try snapshot.forEachEntry(of: list, afterKey: key, firstSliceCount: min(limit, 64)) {
        (entry) throws(LedgerError) in
        if !isOverlaid(entry.id) {
          ids.insert(PromiseID(entityID: entry.id))
          count += 1
        }
        return count < limit
      }
    }
    return Array(ids.sorted().prefix(limit))
  }

  /// Work that counts against the width of its lane.
  package struct LaneHolder: Sendable, Hashable {
    package let id: PromiseID
    /// The width that it demands of the lane.
    package let width: Int
    package let isRunning: Bool
  }

  /// The work that counts against the width of a lane, in no particular order.
  package func holders(ofLane name: String) throws(LedgerError) -> [LaneHolder] {
    var holders: [LaneHolder] = []
    for id in promises.work[lane: name]?.holders ?? [] {
      guard let place = promises.work[id], let lane = place.lane else { continue }
      holders.append(LaneHolder(id: id, width: lane.width, isRunning: place.isRunning))
    }
    guard has(.lanes) else { return holders }
    // The entries say enough, even of work that only a later version can read.
    try snapshot.forEachEntry(of: .lane(name, .held)) { (entry) throws(LedgerError) in
      guard !isOverlaid(entry.id) else { return true }
      let (width, isRunning) = try entry.laneHold()
      holders.append(
        LaneHolder(id: PromiseID(entityID: entry.id), width: width, isRunning: isRunning))
      return true
    }
    return holders
  }

  /// Work of a lane of which no attempt was started.
  package struct QueuedWork: Sendable, Hashable {
    package let id: PromiseID
    package let created: Position
    package let trigger: WorkTrigger
  }

  /// The beginning of a lane's queue.
  package struct LaneQueue: Sendable {
    /// The work, in the order of its creation.
    package var work: [QueuedWork] = []
    /// Whether no other work that was asked for is in the queue.
    package var isComplete = true
  }

  /// The first work of a lane of which no attempt was started, in the order of its creation.
  ///
  /// - Parameters:
  ///   - position: Only work that was created before this position.
  ///   - limit: The maximum number of results.
  package func queue(
    ofLane name: String, before position: Position, limit: Int
  ) throws(LedgerError) -> LaneQueue {
    var queue = LaneQueue()
    for member in promises.work.queue(ofLane: name) {
      guard member.created < position else { break }
      guard let trigger = promises.work[member.id]?.trigger else { continue }
      guard queue.work.count < limit else {
        queue.isComplete = false
        break
      }
      queue.work.append(QueuedWork(id: member.id, created: member.created, trigger: trigger))
    }
    guard has(.lanes) else { return queue }
    var count = 0
    var visitedCount = 0
    try snapshot.forEachEntry(
      of: .lane(name, .queued), afterKey: nil,
      firstSliceCount: min(limit, SnapshotReader.sliceCount)
    ) { (entry) throws(LedgerError) in
      visitedCount += 1
      guard entry.position < position else { return false }
      guard count < limit, visitedCount <= Self.maximumVisitedCount else {
        queue.isComplete = false
        return false
      }
      guard !isOverlaid(entry.id) else { return true }
      queue.work.append(
        QueuedWork(
          id: PromiseID(entityID: entry.id), created: entry.position,
          trigger: try entry.laneTrigger()))
      count += 1
      return true
    }
    if queue.work.count > limit { queue.isComplete = false }
    queue.work = Array(queue.work.sorted { $0.created < $1.created }.prefix(limit))
    return queue
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

  /// The maximum number of entries of a lane in the snapshot that are visited: most may have started since.
  package static let maximumVisitedCount = 16 * SnapshotReader.sliceCount

  /// Whether the snapshot has entries in a list.
  func has(_ list: OpenList.Kind) -> Bool { snapshot.summary.counts.lists[list] > 0 }
}
