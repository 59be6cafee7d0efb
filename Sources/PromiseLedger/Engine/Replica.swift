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

  // MARK: Filling

  /// Applies the events of a frame that are not applied yet.
  package func apply(_ frame: FrameView) throws(LedgerError) {
    try contents.withLock { (contents) throws(LedgerError) in
      try frame.forEachEvent(after: contents.state.position) { (event) throws(LedgerError) in
        try contents.state.apply(event)
        contents.waiters.touch(PromiseID(entityID: event.subject))
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
      guard let entity = contents.state.promise(id) else {
        throw contents.state.blocked[id.entityID]?.refusal(of: id.entityID) ?? .notFound(id)
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
  /// - Parameter looksAtAll: Looks up every awaited promise, not only those that changed.
  package func deliver(looksAtAll: Bool = false) {
    let due = contents.withLock { contents in
      if looksAtAll { contents.waiters.touchAll() }
      return contents.waiters.takeDue(contents.state)
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

extension LedgerError {
  package static func notFound(_ id: PromiseID) -> LedgerError {
    LedgerError(
      .notFound,
      "There is no promise \(id). Check the id, and that it belongs to this ledger.")
  }
}
