package import LedgerPromises
import Synchronization

/// This process's copy of the ledger's state, with those who wait for it to change.
///
/// It holds durable events only. It is filled from the log, or from a commit that succeeded.
package final class Replica: Sendable {
  private struct Contents {
    var state: LedgerState
    var waiters = WaiterTable()
    /// Why nobody will be woken any more.
    var closingError: LedgerError?
    /// Whether a look-up found that the snapshot moved.
    var isStale = false
    /// Where the state stood when every awaited promise was looked up last.
    var lookedAt: Place?
    /// Sessions whose openings were seen since they were taken.
    var openedSessions: [SessionID] = []
    /// Whether sessions may have opened whose events were not seen.
    var missesSessions = true

    var place: Place { Place(position: state.position, base: state.base) }
  }

  /// Two states of one process at the same place are the same.
  private struct Place: Equatable {
    let position: Position
    let base: Position
  }

  private let contents: Mutex<Contents>

  package init(_ state: LedgerState = LedgerState()) {
    contents = Mutex(Contents(state: state))
  }

  package var position: Position { contents.withLock { $0.state.position } }

  /// Looks at the state. Keep it short: nobody else can meanwhile.
  package func withState<R, Failure: Error>(
    _ body: (inout LedgerState) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    try contents.withLock { (contents) throws(Failure) in try body(&contents.state) }
  }

  /// Looks at a copy of the state, so that nobody has to wait; anew if the snapshot moved meanwhile.
  func lookingAtCopy<R>(
    with store: any EventStore, _ body: (LedgerState) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    while true {
      do throws(LedgerError) {
        return try body(withState { $0 })
      } catch {
        guard error.code == .snapshotMoved else { throw error }
        _ = try catchUp(from: store, rebases: true)
      }
    }
  }

  // MARK: The snapshot

  /// Builds the state on the snapshot as it is now.
  ///
  /// Quick, so that it can be done behind the gate: what the snapshot has now is dropped from memory
  /// later, by ``catchUp(from:rebases:sliceEventCount:)``.
  package func rebase(from store: any EventStore) throws(LedgerError) {
    try contents.withLock { (contents) throws(LedgerError) in
      // Read under the lock, or a slower thread would come with an older snapshot than a faster one had.
      let reader = try SnapshotReader(store)
      // Whoever waits is looked at anew: the event that settled it may never be seen.
      if try contents.state.rebase(onto: reader, drops: false) {
        contents.waiters.touchAll()
        (contents.openedSessions, contents.missesSessions) = ([], true)
      }
      contents.isStale = false
    }
  }

  /// Applies everything that a store has, in slices.
  ///
  /// - Parameter rebases: Whether the state is built on the newest snapshot even if nothing needs it.
  /// - Returns: Whether there were events.
  package func catchUp(
    from store: any EventStore, rebases: Bool, sliceEventCount: Int = EventSlice.eventCount
  ) throws(LedgerError) -> Bool {
    var hasNews = false
    var mustRebase = rebases || contents.withLock { $0.isStale }
    while true {
      do throws(LedgerError) {
        if mustRebase {
          try rebase(from: store)
          mustRebase = false
        }
        dropFolded(placeLimit: contents.withLock { $0.state.takeDropBudget() })
        let position = position
        let last = try store.read(after: position, limit: sliceEventCount) {
          (frame) throws(LedgerError) in try apply(frame)
        }
        if last == position { return hasNews }
        hasNews = true
      } catch {
        // Deleted events and records that moved are in the newer snapshot.
        guard error.code == .snapshotMoved || error.code == .eventsCompacted else { throw error }
        mustRebase = true
      }
    }
  }

  /// Drops from the overlay what the snapshot shows by itself, in short steps between which others can
  /// look.
  ///
  /// - Parameters:
  ///   - placeLimit: After so many places of the overlay it ends.
  ///   - begins: Whether a walk begins even if it drops little.
  package func dropFolded(placeLimit: Int = .max, begins: Bool = false) {
    var placeCount = 0
    if begins { contents.withLock { $0.state.beginDrop() } }
    while placeCount < placeLimit, contents.withLock({ $0.state.dropStep() }) {
      placeCount += OverlayDrop.stepPlaceCount
    }
  }

  // MARK: Filling

  /// Applies the events of a frame that are not applied yet.
  package func apply(_ frame: FrameView) throws(LedgerError) {
    try contents.withLock { (contents) throws(LedgerError) in
      try frame.forEachEvent(after: contents.state.position) { (event) throws(LedgerError) in
        try contents.state.apply(event)
        contents.waiters.touch(PromiseID(entityID: event.subject))
        if event.kind == .sessionOpened {
          contents.openedSessions.append(SessionID(entityID: event.subject))
        }
      }
    }
  }

  /// Takes over a commit that succeeded, unless a reader already did through the log.
  package func merge(_ layer: StagedLayer) {
    contents.withLock { contents in
      guard contents.state.position == layer.basePosition else { return }
      contents.state.merge(layer)
      for id in layer.changedPromises { contents.waiters.touch(id) }
    }
  }

  // MARK: Sessions

  /// Hands over the sessions that opened since the last call.
  ///
  /// - Returns: `missesOthers` if sessions may have opened that no event told of: those of the snapshot.
  func takeOpenedSessions() -> (opened: [SessionID], missesOthers: Bool) {
    contents.withLock { contents -> (opened: [SessionID], missesOthers: Bool) in
      defer { (contents.openedSessions, contents.missesSessions) = ([], false) }
      return (contents.openedSessions, contents.missesSessions)
    }
  }

  // MARK: Waiting

  /// The promise as it is once it is settled: fulfilled already if it is.
  ///
  /// Looking and registering is one step, so no settlement is missed between. Ask between
  /// ``beginUse(of:)`` and ``endUse(of:)``.
  ///
  /// - Throws: Why nobody will be woken any more; `notFound`; why the promise is blocked.
  package func settlement(of id: PromiseID) throws(LedgerError) -> Promise<PromiseEntity> {
    try contents.withLock { (contents) throws(LedgerError) in
      if let error = contents.closingError { throw error }
      guard let entity = try contents.state.promise(id) else {
        throw try contents.state.refusal(ofMissing: id)
      }
      return entity.status == .pending ? contents.waiters.settlement(of: id) : .value(entity)
    }
  }

  /// Fulfilled once the state is past `position`: already if it is.
  ///
  /// - Throws: Why nobody will be woken any more.
  package func advance(past position: Position) throws(LedgerError) -> Promise<Void> {
    try contents.withLock { (contents) throws(LedgerError) in
      if let error = contents.closingError { throw error }
      let isPast = contents.state.position > position
      return isPast ? .value(()) : contents.waiters.advance(past: position)
    }
  }

  /// Whether somebody in this process waits for the promise, or is consuming it.
  package func isAwaited(_ id: PromiseID) -> Bool {
    contents.withLock { $0.waiters.isInUse(id) }
  }

  /// Says that this process waits for the promise or consumes it, until ``endUse(of:)``.
  package func beginUse(of id: PromiseID) {
    contents.withLock { $0.waiters.beginUse(of: id) }
  }

  package func endUse(of id: PromiseID) {
    contents.withLock { $0.waiters.endUse(of: id) }?()
  }

  /// Wakes those whose time has come.
  ///
  /// - Parameter looksAtAll: Looks up every awaited promise, not only those that changed; unless nothing
  ///   changed since that was done last.
  package func deliver(looksAtAll: Bool = false) {
    let due = contents.withLock { contents in
      if looksAtAll, contents.lookedAt != contents.place {
        contents.lookedAt = contents.place
        contents.waiters.touchAll()
      }
      let due = contents.waiters.takeDue(contents.state)
      contents.isStale = contents.isStale || contents.waiters.hasTouched
      return due
    }
    for wake in due { wake() }
  }

  /// Tells everybody who waits that it is over.
  package func failAll(_ error: LedgerError) {
    let all = contents.withLock { contents in
      contents.closingError = error
      return contents.waiters.takeAll(failingWith: error)
    }
    for wake in all { wake() }
  }
}
