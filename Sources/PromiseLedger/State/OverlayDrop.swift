/// Where the walk through the overlay stands that drops what the snapshot shows by itself.
struct OverlayDrop: Sendable {
  /// The snapshot position up to which the overlay holds nothing.
  var through: Position
  /// The snapshot position up to which the walk under way drops; `nil` if there is none.
  var goal: Position?
  /// The places that it comes to next.
  var nextPromise = 0
  var nextHandler = 0
  /// The position of the state when it dropped last.
  var lastStep = Position.start
  /// How many deadlines there were when those without a promise were forgotten last.
  var keptDeadlineCount = 0

  init(through position: Position) {
    through = position
  }
}

extension LedgerState {
  /// The fewest places that a step of the walk looks at.
  private static let dropStepCount = 256

  /// Drops from the overlay, a step at a time, what the snapshot shows by itself.
  ///
  /// A walk through the overlay begins once the snapshot moved on so far that it costs little for each
  /// event. A step is short, but looks at more places than events came since the last one, so that each
  /// walk ends.
  package mutating func dropSomeFolded() {
    if drop.goal == nil {
      let overlaidCount = promises.count + handlers.count + sessions.count
      let moved = base.rawValue - drop.through.rawValue
      guard moved >= max(1_000, UInt64(overlaidCount / 2)) else { return }
    }
    let news = Int(clamping: position.rawValue - min(drop.lastStep, position).rawValue)
    drop.lastStep = position
    dropFolded(limit: max(Self.dropStepCount, min(news, 1_000) * 2))
  }

  /// Drops all that the snapshot shows by itself.
  ///
  /// - Complexity: O(changes since the snapshot).
  package mutating func dropAllFolded() {
    drop.goal = nil
    guard drop.through < base else { return }
    dropFolded(limit: .max)
  }

  /// Goes on with the walk, or begins one.
  ///
  /// - Parameter limit: How many places of each table it looks at.
  package mutating func dropFolded(limit: Int) {
    if drop.goal == nil {
      drop.goal = base
      (drop.nextPromise, drop.nextHandler) = (0, 0)
    }
    guard let goal = drop.goal else { return }
    var passedDeadline = passedDeadline
    let hasMorePromises = promises.drop(
      from: &drop.nextPromise, limit: limit, unchangedSince: base
    ) { promise in
      guard promise.status == .pending, let deadline = promise.deadline else { return }
      // From now on it is looked for in the snapshot.
      let key = OpenList.deadlines.key(promise.entityID, order: deadline.ordered)
      if let passed = passedDeadline, !passed.lexicographicallyPrecedes(key) {
        passedDeadline = key.dropLast()
      }
    }
    self.passedDeadline = passedDeadline
    guard !hasMorePromises else { return }
    let hasMoreHandlers = handlers.drop(
      from: &drop.nextHandler, limit: limit, unchangedSince: base)
    if !hasMoreHandlers { endDrop(at: goal) }
  }

  private mutating func endDrop(at goal: Position) {
    drop.through = goal
    drop.goal = nil
    promises.shrink()
    handlers.shrink()
    sessions = sessions.filter { $0.value.lastPosition > goal }
    removals.dropClosings(through: goal)
    // A subject whose overlay stays was perhaps made without the event that could not be applied.
    blocked = blocked.filter { subject, problem in
      blockedThrough[subject] ?? problem.position > goal || isOverlaid(subject)
    }
    blockedThrough = blockedThrough.filter { blocked[$0.key] != nil }
    guard deadlines.count > 2 * drop.keptDeadlineCount + 1_000 else { return }
    deadlines = deadlines.filter(canTimeOut)
    drop.keptDeadlineCount = deadlines.count
  }
}
