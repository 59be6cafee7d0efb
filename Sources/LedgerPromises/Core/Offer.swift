import Synchronization

/// The half of a promise that has an outcome to offer, which only a taker may use up.
///
/// In contrast to a ``Resolver`` it asks first whether something takes the outcome, and may let the promise
/// rest until something observes it again.
package final class Offer<Value: Sendable>: Sendable {
  package typealias Body = @Sendable (Offer<Value>) -> Void

  private let storage: PromiseStorage<Value>
  private let body: Body
  private let isOver = Atomic(false)
  /// The promises that were looked at to find a taker, until the outcome is delivered.
  private let lookedAt = Mutex<[PromiseCore.PendingPromises]>([])

  fileprivate init(_ storage: PromiseStorage<Value>, _ body: @escaping Body) {
    self.storage = storage
    self.body = body
  }

  deinit {
    if !isOver.load(ordering: .acquiring) { storage.resolverWasReleased() }
  }

  fileprivate static func starter(_ body: @escaping Body) -> PromiseStateMachine.Starter {
    { core in
      guard let storage = core as? PromiseStorage<Value> else { return core.abandon(in: nil) }
      body(Offer(storage, body))
    }
  }

  /// Calls `handler` if the promise is cancelled while this offer stands.
  package func onCancel(_ handler: @escaping @Sendable (CancellationReason) -> Void) {
    storage.onCancel(handler)
  }

  /// Whether something takes an outcome now.
  ///
  /// If so, nothing but that outcome settles what lies between, until ``settle(_:)`` delivers it or
  /// ``withdraw()``: a timeout, a lost race or a cancellation that comes later is too late. Asking again
  /// changes nothing.
  package func claimTaker(isFulfilment: Bool) -> Bool {
    storage.claimDemand(isFulfilment: isFulfilment) { found in
      lookedAt.withLock { $0.append(found) }
    }
  }

  /// Takes back what was claimed.
  package func withdraw() {
    storage.endClaims()
    release()
  }

  /// Lets go of what was looked at.
  private func release() {
    let released = lookedAt.withLock { looked in
      let former = looked
      looked = []
      return former
    }
    _ = released
  }

  /// Delivers the outcome.
  package func settle(_ outcome: Outcome<Value>) {
    isOver.store(true, ordering: .releasing)
    storage.settle(outcome, byResolver: true, in: nil)
    release()
  }

  /// Ends this offer, because nothing took the outcome. A new one is made once the promise is observed again,
  /// or a promise behind it is, or once `end` is settled.
  package func rest(isFulfilment: Bool, until end: Promise<Void>) {
    release()
    isOver.store(true, ordering: .releasing)
    end.storage.markHandled()
    guard storage.rest(isFulfilment: isFulfilment, Self.starter(body)) else { return }
    let isWatched = end.storage.machine.withLock { machine in
      machine.watch(for: storage) { [weak storage] in storage?.startIfLazy() }
    }
    if !isWatched { storage.startIfLazy() }
  }
}

extension Promise {
  /// Makes a promise whose `body` runs when the first observer attaches, and again after it rested.
  package static func offered(
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping Offer<Value>.Body
  ) -> Promise<Value> {
    Promise(
      PromiseStorage<Value>(
        executor: executor, site: SourceSite(file, line), starter: Offer.starter(body)))
  }
}
