import LedgerPromises

/// The waits for promises to be settled and for positions to be passed.
///
/// Each wait is one promise in memory, which any number of tasks await. A task that stops waiting detaches
/// from it, so the table need not know the tasks.
struct WaiterTable {
  typealias Wake = @Sendable () -> Void

  /// A wait for the end of a use, or for an event after a position.
  private struct UseEnd {
    var position: Position
    let resolver: Resolver<Void>
  }

  /// A wake-up that is due, with the position that orders it.
  struct Due: Sendable {
    let position: Position
    let wake: Wake
  }

  private var settlements: [PromiseID: Resolver<PromiseEntity>] = [:]
  /// The awaited promises that were joints; some may no longer be awaited.
  private var seenJoints: Set<PromiseID> = []
  private var advances: [Position: Resolver<Void>] = [:]
  /// The number of tasks in this process that wait for each promise or are consuming it.
  private var useCounts: [PromiseID: Int] = [:]
  /// The number of times that the last use of a promise ended.
  private(set) var endedUseCount = 0
  private var useEnd: UseEnd?
  /// Watched promises that changed since the last delivery.
  private var touched: Set<PromiseID> = []

  // MARK: Waiting

  /// A promise of the settled state of a durable promise that is pending now.
  mutating func settlement(of id: PromiseID, isJoint: Bool) -> Promise<PromiseEntity> {
    if isJoint { seenJoints.insert(id) }
    if let resolver = settlements[id] { return resolver.promise }
    let (promise, resolver) = Promise.make(of: PromiseEntity.self, on: .inline)
    settlements[id] = resolver
    return promise
  }

  /// A promise that is fulfilled once there is an event after `position`.
  mutating func advance(past position: Position) -> Promise<Void> {
    if let resolver = advances[position] { return resolver.promise }
    let (promise, resolver) = Promise.make(of: Void.self, on: .inline)
    advances[position] = resolver
    return promise
  }

  /// Whether joints may be awaited.
  var awaitsJoints: Bool { !seenJoints.isEmpty }

  /// The awaited joints.
  var joints: [PromiseID] {
    mutating get {
      seenJoints = seenJoints.filter { settlements[$0] != nil }
      return seenJoints.sorted()
    }
  }

  // MARK: Uses

  func isInUse(_ id: PromiseID) -> Bool { useCounts[id] != nil }

  mutating func beginUse(of id: PromiseID) {
    useCounts[id, default: 0] += 1
  }

  /// Ends one use of a promise, and forgets the promise after the last one. Call the result without the lock.
  mutating func endUse(of id: PromiseID) -> Wake? {
    let count = useCounts[id, default: 1] - 1
    guard count == 0 else {
      useCounts[id] = count
      return nil
    }
    useCounts[id] = nil
    endedUseCount += 1
    let (settlement, useEnd) = (settlements.removeValue(forKey: id), self.useEnd)
    self.useEnd = nil
    return {
      settlement?.cancel()
      useEnd?.resolver.fulfill(())
    }
  }

  /// A promise that is fulfilled when the last use of any promise next ends, or once there is an event after
  /// `position`, or after an earlier position that another task waits for.
  ///
  /// One promise serves both conditions: with two, the one that is rarely fulfilled would retain the
  /// observers of both.
  mutating func endOfUse(orAdvancePast position: Position) -> Promise<Void> {
    if let useEnd {
      self.useEnd?.position = min(useEnd.position, position)
      return useEnd.resolver.promise
    }
    let (promise, resolver) = Promise.make(of: Void.self, on: .inline)
    useEnd = UseEnd(position: position, resolver: resolver)
    return promise
  }

  // MARK: Delivering

  mutating func touch(_ id: PromiseID) {
    if settlements[id] != nil { touched.insert(id) }
  }

  /// Marks every watched promise, so that the next delivery looks up each of them again.
  mutating func touchAll() {
    touched.formUnion(settlements.keys)
  }

  /// The watched promises that changed: those that are in memory, and those that are in the snapshot.
  func changed(in state: LedgerState) -> (near: [PromiseID], far: [PromiseID]) {
    var (near, far): ([PromiseID], [PromiseID]) = ([], [])
    for id in touched.sorted() {
      if state.lacks(id.entityID) { far.append(id) } else { near.append(id) }
    }
    return (near, far)
  }

  /// Removes and returns the waiters for promises that are settled, or never will be.
  mutating func takeSettled(
    among ids: ArraySlice<PromiseID>, _ state: LedgerState
  ) -> [Due] {
    ids.compactMap { id in
      guard touched.remove(id) != nil else { return nil }
      return takeSettlement(of: id, state)
    }
  }

  private mutating func takeSettlement(of id: PromiseID, _ state: LedgerState) -> Due? {
    guard let resolver = settlements[id] else { return nil }
    let due: Due
    do throws(LedgerError) {
      guard let entity = try state.promise(id) else { throw try state.refusal(ofMissing: id) }
      guard entity.status != .pending else { return nil }
      due = Due(position: entity.lastPosition) { resolver.fulfill(entity) }
    } catch {
      due = Due(position: state.position) { resolver.reject(error) }
    }
    settlements[id] = nil
    return due
  }

  /// Removes and returns the waiters for positions that are passed.
  mutating func takeAdvances(_ head: Position) -> [Due] {
    var due: [Due] = []
    for (position, resolver) in advances where position < head {
      advances[position] = nil
      due.append(Due(position: position) { resolver.fulfill(()) })
    }
    if let useEnd, useEnd.position < head {
      self.useEnd = nil
      due.append(Due(position: useEnd.position) { useEnd.resolver.fulfill(()) })
    }
    return due
  }

  /// Removes and returns all waiters, to notify them of a failure.
  mutating func takeAll(failingWith error: LedgerError) -> [Wake] {
    var all: [Wake] = []
    for resolver in settlements.values { all.append { resolver.reject(error) } }
    for resolver in advances.values { all.append { resolver.reject(error) } }
    if let useEnd { all.append { useEnd.resolver.reject(error) } }
    settlements = [:]
    advances = [:]
    useEnd = nil
    return all
  }
}
