/// The stale promises of a ledger as they appear, each once.
///
/// It throws the same errors as ``Ledger/stalePromises(of:)``, and ends when the ledger is closed.
public struct StalePromiseSequence: AsyncSequence, Sendable {
  let ledger: Ledger
  let rule: LeftPromiseRule

  /// Starts with the promises that are stale now.
  public func makeAsyncIterator() -> Iterator { Iterator(ledger: ledger, rule: rule) }

  /// Checks, whenever the ledger changes, the promises that the change concerns.
  public struct Iterator: AsyncIteratorProtocol {
    let ledger: Ledger
    private let rule: LeftPromiseRule
    /// The position up to which events were examined; `nil` before the first look.
    private var position: Position?
    /// The promises that were handed out and are still open.
    private var offered: Set<PromiseID> = []
    /// The promises that would be stale if no task of this process were waiting for them.
    private var awaited: Set<PromiseID> = []
    private var waiting: ArraySlice<PromiseRecord> = []

    init(ledger: Ledger, rule: LeftPromiseRule) {
      self.ledger = ledger
      self.rule = rule
    }

    /// The next stale promise.
    ///
    /// - Complexity: O(n) in the number of unconsumed promises at first, after the end of a session, and if
    ///   compaction deleted events that were not examined; O(new events) otherwise.
    public mutating func next() async throws -> PromiseRecord? {
      while true {
        if let record = waiting.popFirst() { return record }
        do {
          let useCount = ledger.engine.replica.endedUseCount
          let position = try await look()
          if waiting.isEmpty {
            try await ledger.engine.advance(past: position, orUseEndedAfter: useCount)
          }
        } catch let error as LedgerError where error.code == .closed {
          return nil
        }
      }
    }

    /// Finds the promises that became stale since the last look.
    ///
    /// - Returns: The position up to which it looked.
    private mutating func look() async throws -> Position {
      try ledger.requireApp()
      var concerned = StaleCandidates(ids: awaited, includesAll: position == nil)
      var position = position
      do {
        if let start = position {
          position = try await ledger.readChanges(after: start, &concerned)
        }
      } catch let error as LedgerError where error.code == .eventsDeleted {
        // Their effects are visible only in the state, such as after a long freeze.
        concerned = StaleCandidates(ids: awaited.union(offered), includesAll: true)
        position = nil
      }
      let (candidates, head) = try await ledger.engine.read(
        fromCopy: concerned.includesAll,
        needs: SnapshotNeeds(ids: Set(concerned.ids.map(\.entityID)))
      ) { [concerned, rule] state in (try concerned.promises(in: state, rule), state.position) }
      offered.subtract(candidates.closed)
      let new = candidates.left.filter { !offered.contains($0.id) }
      awaited = Set(new.map(\.id).filter(ledger.engine.replica.isAwaited))
      let left = new.filter { !awaited.contains($0.id) }
      waiting = try await ledger.records.promiseRecords(of: left)[...]
      offered.formUnion(waiting.map(\.id))
      // Set only now, so a failed look is repeated.
      self.position = position ?? head
      return position ?? head
    }
  }
}

@available(*, unavailable)
extension StalePromiseSequence.Iterator: Sendable {}

/// The promises that may have become stale by some events.
struct StaleCandidates: Sendable {
  var ids: Set<PromiseID>
  /// Whether every open promise is a candidate, because a session ended and any promise may be its own.
  var includesAll: Bool

  /// Adds the promises that an event may have made stale.
  mutating func add(_ event: borrowing EventView) {
    if event.kind == .sessionClosed {
      includesAll = true
    } else if event.kind.subject == .promise, event.kind != .promiseCreated {
      ids.insert(PromiseID(entityID: event.subject))
    }
  }

  /// The promises that are left behind, and those that are no longer open.
  func promises(
    in state: LedgerState, _ rule: LeftPromiseRule
  ) throws(LedgerError) -> (left: [PromiseEntity], closed: [PromiseID]) {
    var state = state
    var named: [PromiseEntity] = []
    var closed: [PromiseID] = []
    for id in ids {
      if let promise = try state.promise(id), promise.isOpen {
        named.append(promise)
      } else {
        closed.append(id)
      }
    }
    try state.require(Set(named.map(\.created.session.entityID)))
    var left: [PromiseEntity] = []
    for promise in includesAll ? try state.openPromisesAndWork() : named {
      if try rule.isStale(promise, in: state) { left.append(promise) }
    }
    return (left, closed)
  }
}

extension Ledger {
  /// Adds the promises that the events after a position may have made stale.
  ///
  /// - Returns: The position of the last event.
  fileprivate func readChanges(
    after start: Position, _ candidates: inout StaleCandidates
  ) async throws -> Position {
    var position = start
    while true {
      let first = position
      let (last, added) = try await engine.readStore { [candidates] store in
        var added = candidates
        let last = try store.read(after: first, limit: EventSlice.eventCount) {
          (frame) throws(LedgerError) in
          try frame.forEachEvent(after: first) { added.add($0) }
        }
        return (last, added)
      }
      candidates = added
      if last == position { return last }
      position = last
    }
  }
}
