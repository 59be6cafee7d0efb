extension Promise {
  /// Makes the promise that an operator returns, and has `body` called once when this one settles: on
  /// the executor for the outcomes in `triggers`, else on the thread that settles.
  @inlinable
  @inline(__always)
  func link<NewValue: Sendable>(
    to type: NewValue.Type = NewValue.self,
    on executor: PromiseExecutor?,
    _ site: SourceSite,
    triggers: Triggers,
    _ body:
      @escaping @Sendable (
        _ source: PromiseStorage<Value>, _ target: PromiseStorage<NewValue>, _ fate: Fate,
        _ context: DrainContext
      ) -> Void
  ) -> Promise<NewValue> {
    let source = storage
    let target = PromiseStorage<NewValue>(executor: executor ?? source.executor, site: site)
    source.observe(on: executor, triggers: triggers) { fate, context in
      if case .asked(let question) = fate { return target.answer(question) }
      body(source, target, fate, context)
    }
    return Promise<NewValue>(target)
  }

  /// A link for an operator that only looks at values: failures pass through, and if the new promise
  /// was cancelled before its turn came, nothing runs.
  @inlinable
  @inline(__always)
  func linkValue<NewValue: Sendable>(
    on executor: PromiseExecutor?,
    _ site: SourceSite,
    _ body:
      @escaping @Sendable (
        _ value: Value, _ target: PromiseStorage<NewValue>, _ context: DrainContext
      ) throws -> Void
  ) -> Promise<NewValue> {
    link(on: executor, site, triggers: .fulfilled) { source, target, fate, context in
      target.settle(withValueOf: source, fate: fate, in: context) { value in
        try body(value, target, context)
      }
    }
  }

  /// A link for an operator that only looks at failures: values pass through.
  func linkFailure(
    on executor: PromiseExecutor?,
    _ site: SourceSite,
    includingCancellation: Bool,
    _ body:
      @escaping @Sendable (
        _ failure: Failure, _ target: PromiseStorage<Value>, _ context: DrainContext
      ) throws -> Void
  ) -> Promise<Value> {
    let triggers = Triggers.failures(includingCancellation: includingCancellation)
    return link(on: executor, site, triggers: triggers) { source, target, fate, context in
      guard !fate.isAbandoned, let failure = source.failure, triggers.contains(failure.kind) else {
        return target.settle(like: source, fate: fate, in: context)
      }
      guard !target.isSettled else { return }
      do {
        try body(failure, target, context)
      } catch {
        target.settle(thrown: error, in: context)
      }
    }
  }
}

extension PromiseStorage {
  /// The promise of an operator on this one.
  ///
  /// The operators that make up most chains observe the source with one closure of their own, which
  /// ``link(to:on:_:triggers:_:)`` would wrap into others: each closure is an allocation.
  @inlinable
  @inline(__always)
  func makeTarget<NewValue: Sendable>(
    of type: NewValue.Type, on executor: PromiseExecutor?, _ file: StaticString, _ line: UInt
  ) -> PromiseStorage<NewValue> {
    PromiseStorage<NewValue>(executor: executor ?? self.executor, site: SourceSite(file, line))
  }

  /// Runs `body` with the value of `source`, or settles as that failed. If this promise was cancelled
  /// before its turn came, nothing runs.
  @inlinable
  @inline(__always)
  func settle<Source: Sendable>(
    withValueOf source: PromiseStorage<Source>,
    fate: Fate,
    in context: DrainContext,
    _ body: (Source) throws -> Void
  ) {
    guard fate.isFulfilled, let value = source.value else {
      return settleFailure(fate, in: context)
    }
    guard !isSettled else { return }
    do {
      try body(value)
    } catch {
      settle(thrown: error, in: context)
    }
  }
}
