import Synchronization

/// A place for a value that is there or not.
///
/// It is a class of its own, with the optional type as its parameter, because then `deinit` finds the
/// type of what it destroys in the object, while it would have to look up `Value?` from `Value` in a
/// table of the runtime, for each promise.
@usableFromInline
class PromiseSlot<Content: ExpressibleByNilLiteral & Sendable>: PromiseCore, @unchecked Sendable {
  // @unchecked because `content` is written once, under the core's lock; see `PromiseCore`.
  @usableFromInline final var content: Content

  @inlinable
  override init(executor: PromiseExecutor, site: SourceSite) {
    content = nil
    super.init(executor: executor, site: site)
  }

  override init(
    executor: PromiseExecutor,
    site: SourceSite,
    starter: @escaping PromiseStateMachine.Starter
  ) {
    content = nil
    super.init(executor: executor, site: site, starter: starter)
  }
}

/// The storage of a promise: its core and the value.
@usableFromInline
final class PromiseStorage<Value: Sendable>: PromiseSlot<Value?>, @unchecked Sendable {
  // @unchecked because its superclass is.

  /// The value once the promise is fulfilled. Observers may read it without the lock, because they
  /// are called after it was written.
  @inlinable var value: Value? { content }

  @inlinable
  override init(executor: PromiseExecutor, site: SourceSite) {
    super.init(executor: executor, site: site)
  }

  override init(
    executor: PromiseExecutor,
    site: SourceSite,
    starter: @escaping PromiseStateMachine.Starter
  ) {
    super.init(executor: executor, site: site, starter: starter)
  }

  /// The outcome, or `nil` while the promise is pending.
  var outcome: Outcome<Value>? {
    isSettled ? settledOutcome : nil
  }

  /// The outcome of a promise known to be settled.
  var settledOutcome: Outcome<Value>? {
    value.map { .fulfilled($0) } ?? failure.map { $0.outcome() }
  }

  /// The value of a promise that its caller knows to be fulfilled.
  ///
  /// - Throws: how the promise ended otherwise.
  var fulfilledValue: Value {
    get throws {
      guard let value else { throw failure?.error ?? CancellationError() }
      return value
    }
  }

  @inlinable
  @discardableResult
  func fulfill(
    _ value: Value,
    byResolver: Bool = false,
    isOutsider: Bool = false,
    in context: DrainContext?
  ) -> SettleResult {
    settleFulfilled(byResolver: byResolver, isOutsider: isOutsider, in: context) { content = value }
  }

  @discardableResult
  func settle(
    _ outcome: Outcome<Value>,
    byResolver: Bool = false,
    in context: DrainContext?
  ) -> SettleResult {
    switch outcome {
    case .fulfilled(let value): fulfill(value, byResolver: byResolver, in: context)
    case .rejected(let error): settle(Failure.rejected(error), byResolver: byResolver, in: context)
    case .cancelled(let reason):
      settle(Failure.cancelled(reason), byResolver: byResolver, in: context)
    }
  }

  /// Settles as `source`, of the same type, was settled.
  func settle(like source: PromiseStorage<Value>, fate: Fate, in context: DrainContext?) {
    if fate.isFulfilled, let value = source.value {
      fulfill(value, in: context)
    } else if fate.isAbandoned {
      abandon(after: source.failureIfSettled, in: context)
    } else {
      settleFailure(fate, in: context)
    }
  }

  /// Settles as one of several inputs was settled, unless the outcome of another is on its way.
  func settle(likeInput source: PromiseStorage<Value>, fate: Fate, in context: DrainContext?) {
    if case .asked(let question) = fate { return answer(question) }
    guard settleAsOutsider(like: source, fate, in: context).isHeld else { return }
    if hasArrivedClaim(from: source) {
      settle(like: source, fate: fate, in: context)
    } else {
      settleFromOutside { [self] in settleAsOutsider(like: source, fate, in: nil) }
    }
  }

  private func settleAsOutsider(
    like source: PromiseStorage<Value>, _ fate: Fate, in context: DrainContext?
  ) -> SettleResult {
    if fate.isFulfilled, let value = source.value {
      return fulfill(value, isOutsider: true, in: context)
    }
    guard let failure = fate.failure else { return SettleResult(didSettle: false) }
    return settle(failure, isOutsider: true, in: context)
  }

  /// Settles as `other` will be settled (A+ 2.3.2).
  @usableFromInline
  @discardableResult
  func follow(
    _ other: PromiseStorage<Value>,
    byResolver: Bool = false,
    in context: DrainContext?
  ) -> SettleResult {
    if other === self { return rejectAsCycle(byResolver: byResolver, in: context) }
    let result = beginFollowing(other, byResolver: byResolver)
    guard result.didSettle else {
      // This promise was asked to cancel while its body ran, and that reaches inner promises.
      let isUnwanted = machine.withLock { $0.wasRequested && !$0.isLocked }
      if isUnwanted, case .cancelled(let reason)? = failureIfSettled { other.cancel(reason) }
      return result
    }
    if leadsBack(from: other) { return rejectAsCycle(byResolver: false, in: context) }
    other.observe(triggers: [], in: context) { [self] fate, context in
      settle(like: other, fate: fate, in: context)
    }
    return result
  }

  private func rejectAsCycle(byResolver: Bool, in context: DrainContext?) -> SettleResult {
    let error = PromiseError(
      .resolvedWithItself,
      "The promise was resolved with itself, or with one that waits for it, and would never settle.",
      site: site)
    return settle(Failure.rejected(error), byResolver: byResolver, in: context)
  }
}
