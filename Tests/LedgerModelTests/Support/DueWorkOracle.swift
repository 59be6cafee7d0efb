@testable import LedgerModel
@testable import LedgerRuntime

/// All due work of some kinds, from the definition.
struct DueWorkOracle {
  var due: [WorkCandidate] = []
  /// The work of a lane, of any kind.
  private struct Lane {
    /// The due work that keeps its place, and the rest.
    var holders: [WorkCandidate] = []
    var queue: [(work: WorkCandidate, width: Int)] = []
    /// The widths of all work that keeps its place.
    var heldWidths: [Int] = []
    var runningCount = 0

    var width: Int { heldWidths.min() ?? .max }
  }

  private var lanes: [String: Lane] = [:]
  private let kinds: Set<String>
  /// Work of any kind that takes over an outcome.
  var followers: [WorkCandidate] = []
  var nextTimes: [String: Timestamp] = [:]

  var nextTime: Timestamp? { nextTimes.values.min() }

  /// - Parameter ids: Work is looked at if it, or the promise that it awaits, is among them; `nil` for all.
  init(
    _ state: LedgerState, at now: Timestamp, kinds: Set<String>, among ids: Set<PromiseID>? = nil
  ) throws {
    self.kinds = kinds
    for work in try state.openWork() where state.blocked[work.id.entityID] == nil {
      guard let place = work.workPlace, let trigger = place.trigger else { continue }
      let isKnown = kinds.contains(place.kind)
      var isLookedAt = ids?.contains(work.id) ?? true
      var due: Timestamp?
      var excluding: PromiseID?
      switch trigger {
      case .now: due = place.createdAt
      case .at(let time) where time <= now: due = time
      case .at(let time):
        if isKnown, isLookedAt { note(time, of: place.kind) }
      case .after(let id, let settlement):
        guard let promise = try state.promise(id), promise.status != .pending else { continue }
        isLookedAt = isLookedAt || ids?.contains(id) ?? true
        due = promise.resolution?.resolvedAt ?? promise.closing?.fact.time
        let isFulfilled = promise.resolution?.outcome == .fulfilled
        if settlement != .any, isFulfilled != (settlement == .fulfilled) { excluding = id }
      case .firstOf(let condition):
        due = try Self.dueTime(condition, state, at: now)
        // A pending promise makes nothing due, though the time may have come.
        isLookedAt =
          try isLookedAt
          || condition.promises.contains { id in
            guard try state.promise(id).map({ $0.status != .pending }) ?? false else {
              return false
            }
            return ids?.contains(id) ?? true
          }
        if let time = condition.time, time > now, isKnown, isLookedAt {
          note(time, of: place.kind)
        }
      }
      guard let due, isLookedAt else { continue }
      let candidate = WorkCandidate(
        id: work.id, kind: place.kind, lane: place.lane?.name,
        order: due + .seconds(-60 * Int64(place.priority)), created: place.created,
        excludedBy: excluding)
      if excluding != nil {
        followers.append(candidate)
      } else if isKnown {
        self.due.append(candidate)
      }
    }
    due.sort()
    followers.sort()
    if ids == nil {
      try fillLanes(state, at: now)
    } else {
      lanes = try DueWorkOracle(state, at: now, kinds: kinds).lanes
    }
  }

  private mutating func note(_ time: Timestamp, of kind: String) {
    nextTimes[kind] = min(nextTimes[kind] ?? time, time)
  }

  /// The time at which a condition was first met.
  private static func dueTime(
    _ condition: WorkCondition, _ state: LedgerState, at now: Timestamp
  ) throws -> Timestamp? {
    let settled = try condition.promises.compactMap { id -> Timestamp? in
      guard let promise = try state.promise(id), promise.status != .pending else { return nil }
      return promise.resolution?.resolvedAt ?? promise.closing?.fact.time
    }
    let times = [condition.time].compactMap(\.self).filter { $0 <= now }
    return (settled + times).min()
  }

  private mutating func fillLanes(_ state: LedgerState, at now: Timestamp) throws {
    for work in try state.openWork() {
      guard let place = work.workPlace, let lane = place.lane else { continue }
      let isHolder = place.holdsLane
      if isHolder { lanes[lane.name, default: Lane()].heldWidths.append(lane.width) }
      if place.isRunning { lanes[lane.name, default: Lane()].runningCount += 1 }
      guard state.blocked[work.id.entityID] == nil, let trigger = place.trigger else { continue }
      var due: Timestamp?
      switch trigger {
      case .now: due = place.createdAt
      case .at(let time): due = time <= now ? time : nil
      case .after(let id, let settlement):
        guard let promise = try state.promise(id), promise.status != .pending else { continue }
        let isFulfilled = promise.resolution?.outcome == .fulfilled
        if settlement != .any, isFulfilled != (settlement == .fulfilled) { continue }
        due = promise.resolution?.resolvedAt ?? promise.closing?.fact.time
      case .firstOf(let condition): due = try Self.dueTime(condition, state, at: now)
      }
      guard let due else { continue }
      let candidate = WorkCandidate(
        id: work.id, kind: place.kind, lane: lane.name,
        order: due + .seconds(-60 * Int64(place.priority)), created: place.created,
        excludedBy: nil)
      if isHolder {
        lanes[lane.name, default: Lane()].holders.append(candidate)
      } else {
        lanes[lane.name, default: Lane()].queue.append((candidate, lane.width))
      }
    }
  }

  /// The work of a lane that may start now, if nothing else does but work of the same result.
  func heads(of lane: String, _ laneLimit: Int) -> [WorkCandidate] {
    guard let lane = lanes[lane], lane.runningCount < lane.width else { return [] }
    var heads: [WorkCandidate] = []
    let queue = lane.queue.sorted { $0.work.created < $1.work.created }
    for (index, next) in queue.enumerated() where heads.count < laneLimit {
      guard kinds.contains(next.work.kind),
        lane.heldWidths.count + index < min(lane.width, next.width)
      else { continue }
      heads.append(next.work)
    }
    return lane.holders.filter { kinds.contains($0.kind) } + heads
  }

  /// The due work that keeps its place in lanes in which too much other work runs.
  var heldBack: [WorkCandidate] {
    lanes.values.filter { $0.runningCount >= $0.width }.flatMap(\.holders)
  }

  /// All due work that may come next.
  func next(_ laneLimit: Int) -> [WorkCandidate] {
    let heads = lanes.keys.flatMap { self.heads(of: $0, laneLimit) }
    return (due.filter { $0.lane == nil } + heads).sorted()
  }

  /// Whether a lane has older due work of the same kind that was not found and comes later by its priority.
  func isBehindLowerPriority(_ candidate: WorkCandidate, besides found: [WorkCandidate]) -> Bool {
    guard let lane = candidate.lane else { return false }
    return due.contains { other in
      other.lane == lane && other.kind == candidate.kind && other.created < candidate.created
        && candidate < other && !found.contains(other)
    }
  }

  /// The first due work of each kind, and the kinds of which there is more.
  func first(_ limit: Int, ofLane laneLimit: Int) -> (due: [WorkCandidate], more: Set<String>) {
    var first: [WorkCandidate] = []
    var more: Set<String> = []
    for candidate in next(laneLimit) {
      let isFirst = first.count { $0.kind == candidate.kind } < limit
      if isFirst { first.append(candidate) } else { more.insert(candidate.kind) }
    }
    return (first, more)
  }
}
