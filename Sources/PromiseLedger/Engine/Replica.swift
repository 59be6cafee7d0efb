import Synchronization

/// This process's copy of the ledger's state, with those who wait for it to change.
///
/// It holds durable events only. It is filled from the log, or from a commit that succeeded.
package final class Replica: Sendable {
  private struct Contents {
    var state: LedgerState
    var waiters = WaiterTable()
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

  package typealias Token = UInt64

  package func makeToken() -> Token {
    contents.withLock { $0.waiters.makeToken() }
  }

  /// Calls `waiter` once the promise is settled: at once if it is.
  ///
  /// Looking and registering is one step, so no settlement is missed between.
  package func wait(
    for id: PromiseID, _ token: Token,
    _ waiter: @escaping @Sendable (Result<PromiseEntity, any Error>) -> Void
  ) {
    let answer = contents.withLock { contents -> Result<PromiseEntity, any Error>? in
      guard let entity = contents.state.promise(id) else {
        let problem = contents.state.blocked[id.entityID]
        return .failure(problem?.refusal(of: id.entityID) ?? LedgerError.notFound(id))
      }
      guard entity.status == .pending else { return .success(entity) }
      contents.waiters.wait(for: id, token, waiter)
      return nil
    }
    if let answer { waiter(answer) }
  }

  /// Calls `waiter` once the state is past `position`: at once if it is.
  package func wait(
    past position: Position, _ token: Token,
    _ waiter: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let isPast = contents.withLock { contents in
      guard contents.state.position <= position else { return true }
      contents.waiters.wait(past: position, token, waiter)
      return false
    }
    if isPast { waiter(.success(())) }
  }

  /// Whether somebody in this process waits for the promise.
  package func isAwaited(_ id: PromiseID) -> Bool {
    contents.withLock { $0.waiters.isWatched(id) }
  }

  package func cancel(_ token: Token) {
    contents.withLock { $0.waiters.cancel(token) }?()
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
    let all = contents.withLock { $0.waiters.takeAll(failingWith: error) }
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
