import HeapModule

/// The work that a runner knows to be due: what to start next.
///
/// Each kind has a queue of its own, so that work of a kind that has reached its limit does not hide that of
/// others. If there is more due work than the agenda remembers, it remembers the first of each kind. Of a lane,
/// only the work is there that may come next.
struct WorkAgenda {
  /// The due work of one kind.
  private struct Queue {
    var due = Heap<WorkCandidate>()
    /// Whether there is no other due work of the kind.
    var isComplete = false
    /// The earliest time at which other work of the kind becomes due by itself.
    var nextTime: Timestamp?
    /// Whether other due work may come before what is known, because changes were missed since the last search.
    var missesChanges = true
    /// Work after this one is not remembered until the next search: there may be due work before it that is not
    /// known, and must not be overtaken.
    var horizon: WorkCandidate?
  }

  /// A search through work.
  struct SearchPlan: Equatable {
    var kinds: Set<String> = []
    /// Whether all other due work of the kinds is known.
    var coversOnlyTimes = false
  }

  /// The maximum amount of work to remember. If more kinds have due work, it is their number.
  let limit: Int

  private var queues: [String: Queue]
  /// The work that takes over the outcome of another promise.
  private var followers: [WorkCandidate] = []
  /// The joints that the outcomes of their inputs decide.
  private var joints: Set<PromiseID> = []
  /// Whether joints must be looked through, because settlements may have been missed.
  private(set) var missesJoints = true
  /// All work that is remembered.
  private var ids: Set<PromiseID> = []
  /// The lanes in which no other work can start until some of their work ends.
  private(set) var fullLanes: Set<String> = []
  /// The lanes whose next work must be looked up.
  private var lanesToSearch: Set<String> = []
  /// Work that waits until other work that may end the process has ended.
  private var suspects: [WorkCandidate] = []
  /// The amount of work in the queues.
  private(set) var count = 0
  /// Whether a search is going on: it may find due work that nothing else may overtake.
  private var isSearching = false

  /// - Parameter kinds: All names of the kinds that are run.
  init(of kinds: Set<String>, limit: Int) {
    self.limit = limit
    queues = Dictionary(uniqueKeysWithValues: kinds.map { ($0, Queue()) })
  }

  /// Whether all due work was started, or cannot start now.
  var isDone: Bool {
    !isSearching && followers.isEmpty && joints.isEmpty && lanesToSearch.isEmpty
      && queues.values.allSatisfy { $0.due.isEmpty && $0.isComplete }
  }

  /// Whether work may be due of a kind of which none is known.
  var mayHaveMore: Bool { queues.values.contains { $0.due.isEmpty && !$0.isComplete } }

  /// The earliest time at which other work becomes due by itself.
  var nextTime: Timestamp? { queues.values.compactMap(\.nextTime).min() }

  // MARK: Searching

  /// The search that is necessary now: through all work of the kinds of which work may be due that comes before what
  /// is known, and through the times of the kinds whose next time has come.
  func searchPlan(at now: Timestamp) -> SearchPlan {
    let unknown = queues.filter { $1.missesChanges || $1.due.isEmpty && !$1.isComplete }
    let timed = queues.filter { $1.nextTime.map { $0 <= now } ?? false }
    return SearchPlan(
      kinds: Set(unknown.keys).union(timed.keys), coversOnlyTimes: unknown.isEmpty)
  }

  /// Notes that there may be other due work.
  mutating func noteMissed() {
    isSearching = false
    for kind in queues.keys {
      queues[kind]?.isComplete = false
      queues[kind]?.missesChanges = true
    }
    missesJoints = true
    fullLanes = []
    releaseSuspects()
  }

  /// Begins a search, which lasts until ``endSearch(_:)``, or until it fails and ``noteMissed()`` is called.
  mutating func begin(_ plan: SearchPlan) {
    guard !plan.kinds.isEmpty else { return }
    isSearching = true
    // Work that keeps its place in a lane may be due again.
    fullLanes = []
    for kind in plan.kinds { queues[kind]?.nextTime = nil }
    guard !plan.coversOnlyTimes else { return }
    missesJoints = false
    for kind in plan.kinds {
      queues[kind]?.isComplete = true
      queues[kind]?.missesChanges = false
      queues[kind]?.horizon = nil
    }
  }

  /// Ends a search, and adds what it found.
  mutating func endSearch(_ found: DueWork) {
    add(found)
    isSearching = false
    for kind in found.incompleteKinds {
      let ofKind = found.candidates.filter { $0.kind == kind && $0.excludedBy == nil }
      // It found as much as it may, and left out what comes after that.
      if ofKind.count >= limit, let last = ofKind.max() { forget(after: last) }
    }
  }

  /// Forgets the work of a kind that comes after some of it, as other work may that is not known.
  private mutating func forget(after horizon: WorkCandidate) {
    let horizon = min(queues[horizon.kind]?.horizon ?? horizon, horizon)
    queues[horizon.kind]?.horizon = horizon
    while let last = queues[horizon.kind]?.due.max, last > horizon {
      queues[horizon.kind]?.due.removeMax()
      ids.remove(last.id)
      count -= 1
    }
  }

  /// Takes lanes whose next work must be looked up.
  mutating func takeLanesToSearch(atMost limit: Int) -> Set<String> {
    let lanes = Set(lanesToSearch.prefix(limit))
    lanesToSearch.subtract(lanes)
    return lanes
  }

  // MARK: Filling

  mutating func add(_ found: DueWork) {
    for (kind, time) in found.nextTimes { add(time, of: kind) }
    for lane in found.freedLanes { release(lane: lane) }
    lanesToSearch.formUnion(found.lanes.subtracting(fullLanes))
    for candidate in found.candidates { add(candidate) }
    joints.formUnion(found.joints)
    for kind in found.incompleteKinds {
      queues[kind]?.isComplete = false
      // New work must not keep the search waiting for what was left out.
      if let last = queues[kind]?.due.max { forget(after: last) }
    }
  }

  /// Notes a time at which work of a kind becomes due.
  mutating func add(_ time: Timestamp, of kind: String) {
    if let next = queues[kind]?.nextTime, next <= time { return }
    queues[kind]?.nextTime = time
  }

  mutating func add(_ candidate: WorkCandidate) {
    guard !ids.contains(candidate.id) else { return }
    guard candidate.excludedBy == nil else {
      followers.append(candidate)
      ids.insert(candidate.id)
      return
    }
    guard queues[candidate.kind] != nil else { return }
    if let horizon = queues[candidate.kind]?.horizon, candidate > horizon {
      queues[candidate.kind]?.isComplete = false
      return
    }
    queues[candidate.kind]?.due.insert(candidate)
    ids.insert(candidate.id)
    count += 1
    while count > limit, forgetLast() {}
  }

  /// Forgets the last work of the kind of which most is remembered; the first of each kind stays.
  ///
  /// - Returns: Whether there was some.
  private mutating func forgetLast() -> Bool {
    let counts = queues.mapValues(\.due.count)
    // Of several, it is always the same one.
    let fullest = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }
    guard let (kind, dueCount) = fullest, dueCount > 1, let last = queues[kind]?.due.popMax()
    else { return false }
    queues[kind]?.isComplete = false
    queues[kind]?.horizon = last
    ids.remove(last.id)
    count -= 1
    return true
  }

  // MARK: Taking

  /// Takes the work that takes over the outcome of another promise.
  mutating func takeFollowers() -> [WorkCandidate] {
    for follower in followers { ids.remove(follower.id) }
    defer { followers = [] }
    return followers
  }

  /// Takes the joints that the outcomes of their inputs decide.
  mutating func takeJoints() -> [PromiseID] {
    defer { joints = [] }
    return joints.sorted()
  }

  /// Takes the first due work of a kind that has room.
  ///
  /// - Parameter hasRoom: Whether more work of a kind may start.
  mutating func takeFirst(where hasRoom: (String) -> Bool) -> WorkCandidate? {
    let first = queues.compactMap { kind, queue in hasRoom(kind) ? queue.due.min : nil }.min()
    guard let first else { return nil }
    queues[first.kind]?.due.removeMin()
    ids.remove(first.id)
    count -= 1
    return first
  }

  // MARK: Lanes and suspects

  /// Whether work was set aside that may end the process.
  var hasSuspects: Bool { !suspects.isEmpty }

  /// Notes that a lane is full. Work that keeps its place there may start all the same.
  mutating func noteFull(lane: String) { fullLanes.insert(lane) }

  /// Notes that work of a lane ended or started, so that other work may be next.
  mutating func release(lane: String) {
    fullLanes.remove(lane)
    lanesToSearch.insert(lane)
  }

  mutating func setAside(suspect candidate: WorkCandidate) {
    guard ids.insert(candidate.id).inserted else { return }
    suspects.append(candidate)
  }

  /// Makes work due again that may end the process, because no other such work runs.
  mutating func releaseSuspects() {
    let released = suspects
    suspects = []
    for candidate in released {
      ids.remove(candidate.id)
      add(candidate)
    }
  }
}
