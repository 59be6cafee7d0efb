/// The promises that work in memory awaits, with that work.
struct AwaitedPromises: Sendable {
  /// What the overlay says of an awaited promise.
  enum Standing: Sendable {
    case pending
    case settled
    /// It is not in memory.
    case elsewhere
  }

  /// The work that waits for one settlement of a promise.
  enum Work: Sendable {
    case none
    case one(PromiseID)
    case many(WorkQueues)
  }

  private struct Awaited: Sendable {
    /// The work, if it is the only one.
    var only: (id: PromiseID, settlement: WorkTrigger.Settlement)?
    /// All work by settlement, if there is or was more.
    var queues: [WorkTrigger.Settlement: WorkQueues] = [:]
    var standing = Standing.elsewhere
  }

  private var awaited: [PromiseID: Awaited] = [:]
  /// The promises that are known to be settled.
  private(set) var settled: Set<PromiseID> = []
  /// The promises that are not in memory.
  private(set) var elsewhere: Set<PromiseID> = []

  var isEmpty: Bool { awaited.isEmpty }

  func work(awaiting promise: PromiseID, _ settlement: WorkTrigger.Settlement) -> Work {
    guard let awaited = awaited[promise] else { return .none }
    if let only = awaited.only { return only.settlement == settlement ? .one(only.id) : .none }
    return awaited.queues[settlement].map { .many($0) } ?? .none
  }

  /// What is known of a promise; `nil` if no work awaits it.
  func standing(of promise: PromiseID) -> Standing? { awaited[promise]?.standing }

  // MARK: Changing

  /// Notes what the overlay says of a promise, if work awaits it.
  mutating func note(_ standing: Standing, of promise: PromiseID) {
    guard let known = awaited[promise]?.standing, known != standing else { return }
    forget(known, of: promise)
    awaited[promise]?.standing = standing
    switch standing {
    case .pending: break
    case .settled: settled.insert(promise)
    case .elsewhere: elsewhere.insert(promise)
    }
  }

  private mutating func forget(_ standing: Standing, of promise: PromiseID) {
    switch standing {
    case .pending: break
    case .settled: settled.remove(promise)
    case .elsewhere: elsewhere.remove(promise)
    }
  }

  /// Adds work that waits for a settlement of a promise.
  ///
  /// - Parameter placeOf: The place of other work that waits.
  mutating func insert(
    _ id: PromiseID, _ place: WorkPlace, awaiting promise: PromiseID,
    _ settlement: WorkTrigger.Settlement, placeOf: (PromiseID) -> WorkPlace?
  ) {
    guard let only = awaited[promise]?.only else {
      if awaited[promise] == nil {
        elsewhere.insert(promise)
        awaited[promise] = Awaited(only: (id, settlement))
      } else {
        awaited[promise]?.queues[settlement, default: WorkQueues()].insert(id, place)
      }
      return
    }
    awaited[promise]?.only = nil
    if let other = placeOf(only.id) {
      awaited[promise]?.queues[only.settlement, default: WorkQueues()].insert(only.id, other)
    }
    awaited[promise]?.queues[settlement, default: WorkQueues()].insert(id, place)
  }

  /// Removes work that was added with the same arguments.
  mutating func remove(
    _ id: PromiseID, _ place: WorkPlace, awaiting promise: PromiseID,
    _ settlement: WorkTrigger.Settlement
  ) {
    // Only what is needed is read: a copy of the queues would be changed.
    guard let standing = awaited[promise]?.standing else { return }
    if awaited[promise]?.only == nil {
      awaited[promise]?.queues[settlement]?.remove(id, place)
      if awaited[promise]?.queues[settlement]?.isEmpty ?? false {
        awaited[promise]?.queues[settlement] = nil
      }
      guard awaited[promise]?.queues.isEmpty ?? false else { return }
    }
    forget(standing, of: promise)
    awaited[promise] = nil
  }
}
