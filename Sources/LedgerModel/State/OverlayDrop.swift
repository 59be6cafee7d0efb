/// The progress of the walk that drops entities already contained in the snapshot from the overlay.
package struct OverlayDrop: Sendable {
  /// The number of places examined in one step.
  package static let stepPlaceCount = 256

  /// The snapshot position up to which the overlay is cleared.
  fileprivate(set) var through: Position
  /// The remaining part of the current walk; `nil` if there is none.
  fileprivate var walk: Walk?
  /// The position of the state when new events were last counted.
  fileprivate var countedThrough = Position.start
  /// The number of deadlines when those without a promise were last forgotten.
  fileprivate var keptDeadlineCount = 0

  /// The remaining places of a walk. Places added later contain changes newer than the snapshot.
  struct Walk: Sendable {
    /// The snapshot position up to which the walk drops entities.
    let goal: Position
    var promises: Range<Int>
    var handlers: Range<Int>
  }

  init(through position: Position) {
    through = position
  }
}

extension LedgerState {
  /// The number of places to examine now, if a walk is in progress or due. It exceeds the number of events
  /// since the last call, so that the walk ends.
  package mutating func takeDropBudget() -> Int {
    let news = position.rawValue - min(drop.countedThrough, position).rawValue
    drop.countedThrough = position
    // The first call counts from the start of the ledger, however far away that is.
    return OverlayDrop.stepPlaceCount + 2 * Int(min(news, UInt64(Int32.max)))
  }

  /// Begins a walk if the snapshot has moved since the last one.
  package mutating func beginDrop() {
    guard drop.walk == nil, drop.through < base else { return }
    drop.walk = OverlayDrop.Walk(
      goal: base, promises: 0..<promises.placeCount, handlers: 0..<handlers.placeCount)
  }

  /// Begins a walk if the snapshot has moved far enough to make the cost per event small.
  private mutating func beginDropIfDue() {
    guard drop.walk == nil else { return }
    let moved = base.rawValue - drop.through.rawValue
    let overlaidCount = promises.count + handlers.count + sessions.count
    if moved >= max(1_000, UInt64(overlaidCount / 2)) { beginDrop() }
  }

  /// Performs one step of a walk, if one is in progress or due.
  ///
  /// - Parameter placeCount: The number of places of each table to examine.
  /// - Returns: Whether the walk has further steps.
  package mutating func dropStep(
    placeCount: Int = OverlayDrop.stepPlaceCount
  ) -> Bool {
    beginDropIfDue()
    guard var walk = drop.walk else { return false }
    var passed = passedDeadline
    promises.drop(walk.promises.prefix(placeCount), unchangedSince: base) { promise in
      guard promise.status == .pending, let deadline = promise.deadline else { return }
      // From now on, the deadline is looked up in the snapshot.
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

  /// Drops all entities that the snapshot already contains.
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
