import LedgerPromises

/// Who waits for which promise to be settled, and for which position to be passed.
///
/// Each is one promise in memory, which any number of tasks await: whoever stops waiting detaches from
/// it, so that the table need not know them.
struct WaiterTable {
  typealias Wake = @Sendable () -> Void

  private var settlements: [PromiseID: Resolver<PromiseEntity>] = [:]
  private var advances: [Position: Resolver<Void>] = [:]
  /// How many in this process wait for a promise, or are consuming it.
  private var useCounts: [PromiseID: Int] = [:]
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
    guard let resolver = settlements.removeValue(forKey: id) else { return nil }
    return { resolver.cancel() }
  }

  // MARK: Delivering

  mutating func touch(_ id: PromiseID) {
    if settlements[id] != nil { touched.insert(id) }
  }

  /// Marks every watched promise, so that the next delivery looks each up anew.
  mutating func touchAll() {
    touched.formUnion(settlements.keys)
  }

  /// Whether promises could not be looked at, because the snapshot moved or the ledger is frozen.
  var hasTouched: Bool { !touched.isEmpty }

  /// Takes out everybody whose time has come, in the order of positions.
  mutating func takeDue(_ state: LedgerState) -> [Wake] {
    var due: [(position: Position, wake: Wake)] = []
    var left: Set<PromiseID> = []
    let ids = touched.filter { settlements[$0] != nil }.sorted()
    for start in stride(from: 0, to: ids.count, by: SnapshotReader.sliceCount) {
      let slice = ids[start..<min(start + SnapshotReader.sliceCount, ids.count)]
      do throws(LedgerError) {
        let state = try state.preloading(slice)
        for id in slice {
          if let wake = try takeSettlement(of: id, state) { due.append(wake) }
        }
      } catch {
        // The snapshot moved, or the ledger is frozen: those that still wait are looked at again.
        left.formUnion(slice)
      }
    }
    touched = left.filter { settlements[$0] != nil }
    for (position, resolver) in advances where position < state.position {
      advances[position] = nil
      due.append((position, { resolver.fulfill(()) }))
    }
    return due.sorted { $0.position < $1.position }.map { $0.wake }
  }

  /// Takes out those who wait for a promise, if it is settled or will never be.
  ///
  /// - Throws: `snapshotMoved`, `closed`.
  private mutating func takeSettlement(
    of id: PromiseID, _ state: LedgerState
  ) throws(LedgerError) -> (position: Position, wake: Wake)? {
    guard let resolver = settlements[id] else { return nil }
    do throws(LedgerError) {
      guard let entity = try state.promise(id) else { throw try state.refusal(ofMissing: id) }
      guard entity.status != .pending else { return nil }
      settlements[id] = nil
      return (entity.lastPosition, { resolver.fulfill(entity) })
    } catch {
      guard error.code != .snapshotMoved, error.code != .closed else { throw error }
      settlements[id] = nil
      return (state.position, { resolver.reject(error) })
    }
  }

  /// Takes out everybody, to be told of a failure.
  mutating func takeAll(failingWith error: LedgerError) -> [Wake] {
    var all: [Wake] = []
    for resolver in settlements.values { all.append { resolver.reject(error) } }
    for resolver in advances.values { all.append { resolver.reject(error) } }
    settlements = [:]
    advances = [:]
    return all
  }
}
