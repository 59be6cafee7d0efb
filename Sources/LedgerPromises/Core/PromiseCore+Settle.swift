import Synchronization

/// Settling: once, under the lock; everything that follows from it happens after unlocking.
extension PromiseCore {
  @usableFromInline
  struct SettleResult: Sendable {
    @usableFromInline var didSettle: Bool
    var wasCancelled = false
    var isHeld = false
  }

  /// Settles with a value, which `store` writes.
  @usableFromInline
  @discardableResult
  func settleFulfilled(
    byResolver: Bool = false,
    isOutsider: Bool = false,
    in context: DrainContext?,
    store: () -> Void
  ) -> SettleResult {
    let isLocal = executor.target.isLocal(to: context)
    let action = machine.withLock { machine in
      let action = machine.settle(
        .fulfilled, by: byResolver ? .resolver : isOutsider ? .outsider : .library,
        isLocal: isLocal, in: context)
      if action.didSettle {
        store()
        hasSettled.store(true, ordering: .releasing)
      }
      return action
    }
    return finish(action, .fulfilled, in: context)
  }

  /// Settles with a failure.
  ///
  /// - Parameters:
  ///   - isRequest: Whether it was asked for, such as a cancellation by hand; otherwise it comes from
  ///     what the promise waited for.
  ///   - isOutsider: Whether it has to wait while the promise is held; a request has to.
  @usableFromInline
  @discardableResult
  func settle(
    _ failure: Failure,
    byResolver: Bool = false,
    isRequest: Bool = false,
    isOutsider: Bool = false,
    in context: DrainContext?
  ) -> SettleResult {
    let isLocal = executor.target.isLocal(to: context)
    let settler: PromiseStateMachine.Settler =
      byResolver ? .resolver : isRequest ? .request : isOutsider ? .outsider : .library
    let action = machine.withLock { machine in
      let action = machine.settle(failure.kind, by: settler, isLocal: isLocal, in: context)
      if action.didSettle {
        self.failure = failure
        hasSettled.store(true, ordering: .releasing)
      }
      return action
    }
    return finish(action, .failed(failure), isRequest: isRequest, in: context)
  }

  /// Settles with what another promise failed with, or as one whose executor dropped the callback.
  @usableFromInline
  func settleFailure(_ fate: Fate, in context: DrainContext?) {
    switch fate {
    case .failed(let failure): settle(failure, in: context)
    case .abandoned: abandon(in: context)
    case .asked(let question): answer(question)
    case .fulfilled: break
    }
  }

  /// Rejects because the executor dropped what would have settled the promise.
  ///
  /// - Parameter former: The failure of the chain, if it had one before.
  func abandon(after former: Failure? = nil, in context: DrainContext?) {
    if settle(executorGone(after: former), in: context).didSettle {
      PromiseDiagnostics.report(.pendingPromiseDropped, at: site)
    }
  }

  /// The failure of a promise whose executor dropped what would have settled it.
  func executorGone(after former: Failure?) -> Failure {
    var cause = former?.error
    // Errors inside one another, one for each link of a chain, would be released by recursion.
    if let error = cause as? PromiseError, error.code == .executorGone { cause = error.cause }
    return .rejected(
      PromiseError(
        .executorGone,
        "The executor was shut down or released before it ran the callback. Keep it for as long as "
          + "promises use it.",
        cause: cause, site: site))
  }

  /// Settles as an error thrown by a body or callback says.
  @usableFromInline
  func settle(thrown error: any Error, in context: DrainContext?) {
    settle(Failure(thrown: error), in: context)
  }

  private func finish(
    _ action: consuming PromiseStateMachine.SettleAction,
    _ fate: Fate,
    isRequest: Bool = false,
    in context: DrainContext?
  ) -> SettleResult {
    guard action.didSettle else {
      return SettleResult(
        didSettle: false, wasCancelled: action.wasCancelled, isHeld: action.isHeld)
    }
    // Released at the end, outside the lock.
    let extras = action.extras.take()
    if action.mustFinish || extras?.others.isEmpty == false {
      handOver(
        .init(first: action.first.take(), others: extras?.others ?? []), of: fate, in: context,
        isLate: !action.mustFinish)
    } else if let observer = action.first.take() {
      handOverOnly(Job(consume observer, fate: fate), in: context)
    }
    if let extras {
      if case .failed(.cancelled(let reason)) = fate {
        propagateCancellation(reason, isRequest: isRequest, extras)
      }
      for watcher in extras.takeWatchers() { watcher() }
    }
    return SettleResult(didSettle: true)
  }

  // MARK: - For the resolver

  /// Reports a resolver's call that came second; returns whether it settled the promise.
  @usableFromInline
  func accept(_ result: SettleResult, error: (any Error)?) -> Bool {
    if !result.didSettle {
      PromiseDiagnostics.report(
        result.wasCancelled ? .settledLate : .settledTwice(ignored: error), at: site)
    }
    return result.didSettle
  }

  /// Rejects the promise if nothing can settle it any more.
  ///
  /// On the trampoline, because its observers, which are released then, may keep the resolver of the next one.
  func resolverWasReleased() {
    guard isOpen else { return }
    InlineTrampoline.run(Job(Observer { [self] _, _ in rejectAsAbandoned() }, fate: .fulfilled))
  }

  private func rejectAsAbandoned() {
    let error = PromiseError(
      .abandoned,
      "The resolver was released before it settled its promise. Keep it until the outcome is known.",
      site: site)
    if settle(.rejected(error), byResolver: true, in: nil).didSettle {
      PromiseDiagnostics.report(.pendingPromiseDropped, at: site)
    }
  }
}
