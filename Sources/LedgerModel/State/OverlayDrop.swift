/// Where the walk through the overlay stands that drops what the snapshot shows by itself.
package struct OverlayDrop: Sendable {
  /// How many places one step looks at.
  package static let stepPlaceCount = 256

  /// The snapshot position up to which the overlay holds nothing.
  fileprivate(set) var through: Position
  /// What the walk under way has before it; `nil` if there is none.
  fileprivate var walk: Walk?
  /// The position of the state when it was counted last how much came.
  fileprivate var countedThrough = Position.start
  /// How many deadlines there were when those without a promise were forgotten last.
  fileprivate var keptDeadlineCount = 0

  /// Places that come later hold what is newer than the snapshot.
  struct Walk: Sendable {
    /// The snapshot position up to which it drops.
    let goal: Position
    var promises: Range<Int>
    var handlers: Range<Int>
  }

  init(through position: Position) {
    through = position
  }
}

extension LedgerState {
  /// How many places to look at now, if a walk is under way or due: more than events came since the last
  /// call, so that the walk ends.
  package mutating func takeDropBudget() -> Int {
    let news = position.rawValue - min(drop.countedThrough, position).rawValue
    drop.countedThrough = position
    // The first call counts from the start of the ledger, however far away that is.
    return OverlayDrop.stepPlaceCount + 2 * Int(min(news, UInt64(Int32.max)))
  }

  /// Begins a walk if the snapshot moved since the last one.
  package mutating func beginDrop() {
    guard drop.walk == nil, drop.through < base else { return }
    drop.walk = OverlayDrop.Walk(
      goal: base, promises: 0..<promises.placeCount, handlers: 0..<handlers.placeCount)
  }

  /// Begins a walk if the snapshot moved on so far that it costs little for each event.
  private mutating func beginDropIfDue() {
    guard drop.walk == nil else { return }
    let moved = base.rawValue - drop.through.rawValue
    let overlaidCount = promises.count + handlers.count + sessions.count
    if moved >= max(1_000, UInt64(overlaidCount / 2)) { beginDrop() }
  }

  /// Goes one step of a walk, if one is under way or due.
  ///
  /// - Parameter placeCount: How many places of each table it looks at.
  /// - Returns: Whether there is more of it.
  package mutating func dropStep(
    placeCount: Int = OverlayDrop.stepPlaceCount
  ) -> Bool {
    beginDropIfDue()
    guard var walk = drop.walk else { return false }
    var passed = passedDeadline
    promises.drop(walk.promises.prefix(placeCount), unchangedSince: base) { promise in
      guard promise.status == .pending, let deadline = promise.deadline else { return }
      // From now on it is looked for in the snapshot.
      let key = OpenList.deadlines.key(promise.entityID, order: deadline.ordered)
      if let known = passed, !known.lexicographicallyPrecedes(key) { passed = key.dropLast() }
    }
    passedDeadline = passed
    handlers.drop(walk.handlers.prefix(placeCount), unchangedSince: base)
    walk.promises.removeFirst(min(placeCount, walk.promises.count))
    walk.handlers.removeFirst(min(placeCount, walk.handlers.count))
    drop.walk = walk
    guard walk.promises.isEmpty, walk.handlers.isEmpty else { return true }
    endDrop(at: walk.goal)
    return false
  }

  /// Drops all that the snapshot shows by itself.
  ///
  /// - Complexity: O(changes since the snapshot).
  package mutating func dropAllFolded() {
    drop.walk = nil
    beginDrop()
    while drop.walk != nil { _ = dropStep() }
  }

  private mutating func endDrop(at goal: Position) {
    drop.through = goal
    drop.walk = nil
    promises.shrink()
    handlers.shrink()
    sessions = sessions.filter { $0.value.lastPosition > goal }
    removals.dropClosings(through: goal)
    guard deadlines.count > 2 * drop.keptDeadlineCount + 1_000 else { return }
    deadlines = deadlines.filter(canTimeOut)
    drop.keptDeadlineCount = deadlines.count
  }
}
