import LedgerPromises

/// Who waits for which promise to be settled, and for which position to be passed.
///
/// Each is one promise in memory, which any number of tasks await: whoever stops waiting detaches from
/// it, so that the table need not know them.
struct WaiterTable {
  typealias Wake = @Sendable () -> Void

  /// What waits for the end of a use, or for an event after a position.
  private struct UseEnd {
    var position: Position
    let resolver: Resolver<Void>
  }

  /// What wakes those whose time has come, and the position that orders it.
  struct Due: Sendable {
    let position: Position
    let wake: Wake
  }

  private var settlements: [PromiseID: Resolver<PromiseEntity>] = [:]
  private var advances: [Position: Resolver<Void>] = [:]
  /// How many in this process wait for a promise, or are consuming it.
  private var useCounts: [PromiseID: Int] = [:]
  /// How often the last use of a promise ended.
  private(set) var endedUseCount = 0
  private var useEnd: UseEnd?
  /// Watched promises that changed since the last delivery.
  private var touched: Set<PromiseID> = []

  // MARK: Waiting

  /// What a promise that is pending now will be once it is settled.
  mutating func settlement(of id: PromiseID) -> Promise<PromiseEntity> {
    if let resolver = settlements[id] { return resolver.promise }
    let (promise, resolver) = Promise.make(of: PromiseEntity.self, on: .inline)
    settlements[id] = resolver
    return promise
  }

  /// Fulfilled once there is an event after `position`.
  mutating func advance(past position: Position) -> Promise<Void> {
    if let resolver = advances[position] { return resolver.promise }
    let (promise, resolver) = Promise.make(of: Void.self, on: .inline)
    advances[position] = resolver
    return promise
  }

  // MARK: Who is interested

  func isInUse(_ id: PromiseID) -> Bool { useCounts[id] != nil }

  mutating func beginUse(of id: PromiseID) {
    useCounts[id, default: 0] += 1
  }

  /// Forgets a promise that nobody waits for any more; what it returns is to be called unlocked.
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

  /// Fulfilled the next time that the last use of a promise ends, or once there is an event after
  /// `position`, or after an earlier one that something else waits for.
  ///
  /// It is one promise for both: of two, the one that comes seldom would keep what observed it and the
  /// other.
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

  /// Marks every watched promise, so that the next delivery looks each up anew.
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

  /// Takes out those who wait for promises that are settled, or will never be.
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

  /// Takes out those who wait for positions that are passed.
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

  /// Takes out everybody, to be told of a failure.
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
