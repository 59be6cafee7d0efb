import HeapModule

/// The work that a runner knows to be due: what to start next.
///
/// Each kind has a queue of its own, so that work of a kind that has reached its limit does not hide that of
/// others. Of a lane, only the work is there that may come next.
struct WorkAgenda {
  /// The due work of one kind.
  private struct Queue {
    var due = Heap<WorkCandidate>()
    /// Whether there is no other due work of the kind.
    var isComplete = false
  }

  /// The maximum amount of work of a kind to remember.
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
  /// The earliest time at which other work becomes due by itself.
  private(set) var nextTime: Timestamp?

  /// - Parameter kinds: All names of the kinds that are run.
  init(of kinds: Set<String>, limit: Int) {
    self.limit = limit
    queues = Dictionary(uniqueKeysWithValues: kinds.map { ($0, Queue()) })
  }

  /// Whether all due work was started, or cannot start now.
  var isDone: Bool {
    followers.isEmpty && joints.isEmpty && lanesToSearch.isEmpty
      && queues.values.allSatisfy { $0.due.isEmpty && $0.isComplete }
  }

  // MARK: Searching

  /// The kinds of which all work must be looked through: none is known to be due, but there may be some.
  func kindsToSearch(at now: Timestamp) -> Set<String> {
    let isTime = nextTime.map { $0 <= now } ?? false
    return Set(queues.filter { isTime || $1.due.isEmpty && !$1.isComplete }.keys)
  }

  /// Notes that there may be other due work.
  mutating func noteMissed() {
    for kind in queues.keys { queues[kind]?.isComplete = false }
    missesJoints = true
    fullLanes = []
    releaseSuspects()
  }

  /// Begins a search through all work of some kinds.
  mutating func beginSearch(of kinds: Set<String>) {
    guard !kinds.isEmpty else { return }
    // Work that keeps its place in a lane may be due again.
    fullLanes = []
    if kinds.count == queues.count { nextTime = nil }
    missesJoints = false
    for kind in kinds { queues[kind]?.isComplete = true }
  }

  /// Returns the lanes whose next work must be looked up.
  mutating func takeLanesToSearch() -> Set<String> {
    defer { lanesToSearch = [] }
    return lanesToSearch
  }

  // MARK: Filling

  mutating func add(_ found: DueWork) {
    if let time = found.nextTime { add(time) }
    for lane in found.freedLanes { release(lane: lane) }
    lanesToSearch.formUnion(found.lanes.subtracting(fullLanes))
    for candidate in found.candidates { add(candidate) }
    joints.formUnion(found.joints)
    for kind in found.incompleteKinds { queues[kind]?.isComplete = false }
  }

  /// Notes a time at which work becomes due.
  mutating func add(_ time: Timestamp) { nextTime = min(nextTime ?? time, time) }

  mutating func add(_ candidate: WorkCandidate) {
    guard !ids.contains(candidate.id) else { return }
    if candidate.excludedBy != nil {
      followers.append(candidate)
    } else if let queue = queues[candidate.kind], queue.due.count < limit {
      queues[candidate.kind]?.due.insert(candidate)
    } else {
      queues[candidate.kind]?.isComplete = false
      return
    }
    ids.insert(candidate.id)
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
    for candidate in suspects { queues[candidate.kind]?.due.insert(candidate) }
    suspects = []
  }
}
