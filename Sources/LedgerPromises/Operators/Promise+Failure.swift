extension Promise {
  /// Handles the failure at the end of a chain; the result is fulfilled when that is over.
  ///
  /// Several `catch`es on one promise all run. A cancellation is no failure, unless asked for: then
  /// `handler` gets a ``PromiseError`` with the code ``PromiseError/Code/cancelled``.
  @discardableResult
  @_disfavoredOverload
  public func `catch`(
    on executor: PromiseExecutor? = nil,
    includingCancellation: Bool = false,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (any Error) -> Void
  ) -> Guarantee<Void> {
    let triggers = Triggers.failures(includingCancellation: includingCancellation)
    let source = storage
    let target = source.makeTarget(of: Void.self, on: executor, file, line)
    source.observe(on: executor, triggers: triggers.union(.withoutExecutor)) { fate, context in
      if case .asked(let question) = fate { return target.answer(question, as: .handling) }
      if let failure = source.failure, triggers.contains(failure.kind) { handler(failure.error) }
      target.fulfill((), in: context)
    }
    return Guarantee(unfailing: Promise<Void>(target))
  }

  /// Looks at the error and lets it go on.
  @discardableResult
  @_disfavoredOverload
  public func onError(
    on executor: PromiseExecutor? = nil,
    includingCancellation: Bool = false,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    linkFailure(
      on: executor, SourceSite(file, line), includingCancellation: includingCancellation
    ) { failure, target, context in
      body(failure.error)
      target.settle(failure, in: context)
    }
  }

  /// Replaces a failure by a value, or by the error that `body` throws.
  @discardableResult
  @_disfavoredOverload
  public func recover(
    on executor: PromiseExecutor? = nil,
    includingCancellation: Bool = false,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise<Value> {
    linkFailure(
      on: executor, SourceSite(file, line), includingCancellation: includingCancellation
    ) { failure, target, context in
      target.fulfill(try body(failure.error), in: context)
    }
  }

  /// Replaces a failure by what another promise will be.
  @discardableResult
  @_disfavoredOverload
  public func recoverThen(
    on executor: PromiseExecutor? = nil,
    includingCancellation: Bool = false,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (any Error) throws -> Promise<Value>
  ) -> Promise<Value> {
    linkFailure(
      on: executor, SourceSite(file, line), includingCancellation: includingCancellation
    ) { failure, target, context in
      target.follow(try body(failure.error).storage, in: context)
    }
  }

  /// Replaces every failure, cancellation too, by a value: the result cannot fail.
  ///
  /// If the executor is gone, `body` runs on the thread that finds out, because there must be a value.
  @discardableResult
  @_disfavoredOverload
  public func recoverAlways(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (any Error) -> Value
  ) -> Guarantee<Value> {
    let recovered = link(
      to: Value.self, on: executor, SourceSite(file, line), triggers: [.failed, .withoutExecutor]
    ) { source, target, fate, context in
      if let value = source.value {
        target.fulfill(value, in: context)
      } else if let failure = source.failure {
        target.fulfill(body(failure.error), in: context)
      }
    }
    return Guarantee(unfailing: recovered)
  }

  /// Looks at the outcome, whatever it is, and passes it on.
  @_disfavoredOverload
  public func tap(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (Outcome<Value>) -> Void
  ) -> Promise<Value> {
    link(on: executor, SourceSite(file, line), triggers: .always) { source, target, fate, context in
      if !fate.isAbandoned, let outcome = source.settledOutcome { body(outcome) }
      target.settle(like: source, fate: fate, in: context)
    }
  }

  /// Runs `body` once this promise has settled, whatever the outcome, and passes that on.
  ///
  /// It runs exactly once on all three outcomes of this promise, also if the new promise was cancelled
  /// before, because what it cleans up was in use until now. If the executor is gone, it runs on the thread
  /// that finds out, and the new promise is rejected with ``PromiseError/Code/executorGone``.
  @discardableResult
  @_disfavoredOverload
  public func ensure(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> Promise<Value> {
    link(on: executor, SourceSite(file, line), triggers: .always) { source, target, fate, context in
      body()
      target.settle(like: source, fate: fate, in: context)
    }
  }

  /// Runs `body` once this promise has settled, whatever the outcome, and waits for its promise.
  ///
  /// - After a fulfilment the new promise is fulfilled, or fails as `body` did.
  /// - After a rejection it is rejected with the first error; if `body` failed too, with a
  ///   ``PromiseError`` of the code ``PromiseError/Code/cleanUpFailed`` that has the first error as its
  ///   cause and the second attached.
  /// - After a cancellation it is cancelled; an error of `body` is attached to the reason.
  ///
  /// The clean-up runs exactly once and to its end, on all three outcomes, and the new promise settles
  /// after it. So cancelling the new promise does not settle it at once: the cancellation goes to this
  /// promise, then the clean-up runs, and then the new promise is cancelled. If this promise has settled and
  /// the clean-up is running, the cancellation takes the place of the outcome. Nothing cancels the clean-up;
  /// give it a timeout of its own if it may hang. If the executor is gone, `body` runs on the thread that
  /// finds out, and the new promise is rejected with ``PromiseError/Code/executorGone`` after the clean-up.
  ///
  /// Behind several failed clean-ups ``PromiseError/underlying`` is the error that the chain failed with.
  @discardableResult
  @_disfavoredOverload
  public func ensureAsync(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Void>
  ) -> Promise<Value> {
    let site = SourceSite(file, line)
    let target = PromiseStorage<Value>(executor: executor ?? self.executor, site: site)
    let hold = CleanUpHold(of: target, after: storage)
    storage.observe(on: executor, triggers: .always) { [source = storage] fate, context in
      if case .asked(let question) = fate { return target.answer(question) }
      var former = source.failureIfSettled
      if fate.isAbandoned {
        former = target.executorGone(after: former)
        PromiseDiagnostics.report(.pendingPromiseDropped, at: site)
      }
      let cleanUp: Promise<Void>
      do {
        cleanUp = try body()
      } catch {
        target.settle(cleanedUp(source, former, hold, Failure(thrown: error), site), in: context)
        return
      }
      cleanUp.storage.observe(triggers: [], in: context) { [former] fate, context in
        if fate.answer(.anything) { return }
        target.settle(cleanedUp(source, former, hold, fate.failure, site), in: context)
      }
    }
    return Promise(target)
  }
}

/// The outcome behind a clean-up: the first failure, if there is one, is kept, the clean-up's is attached.
private func cleanedUp<Value: Sendable>(
  _ source: PromiseStorage<Value>,
  _ former: Failure?,
  _ hold: CleanUpHold,
  _ cleanUp: Failure?,
  _ site: SourceSite
) -> Outcome<Value> {
  let first = hold.end().map { Failure.cancelled($0) } ?? former
  switch (first, cleanUp) {
  case (let first?, nil):
    return first.outcome()
  case (nil, nil):
    break
  case (nil, let cleanUp?):
    return cleanUp.outcome()
  case (.rejected(let error)?, let cleanUp?):
    return .rejected(
      PromiseError(
        .cleanUpFailed, "The chain failed, and so did its clean-up.", cause: error,
        attachedErrors: [cleanUp.error], site: site))
  case (.cancelled(let reason)?, let cleanUp?):
    return .cancelled(CancellationReason(reason.message, attachedError: cleanUp.error))
  }
  return source.settledOutcome ?? .cancelled(.unspecified)
}
