extension Promise {
  /// Whether the promise has no outcome yet.
  public var isPending: Bool { !storage.isSettled }

  /// The outcome, or `nil` while the promise is pending. Looking at a rejection counts as handling it.
  public var outcome: Outcome<Value>? {
    guard let outcome = storage.outcome else { return nil }
    storage.markHandled()
    return outcome
  }

  /// Where callbacks run that name no executor.
  public var executor: PromiseExecutor { storage.executor }

  /// Cancels the promise if it is pending; returns whether this call did.
  ///
  /// The promise settles at once as cancelled, and with it everything chained to it, unless it has to wait
  /// for a clean-up (``ensureAsync(on:file:line:_:)``). A callback that did not start yet will not run,
  /// except for those of `ensure`, `ensureAsync` and `tap`: they run on every outcome of the promise before.
  ///
  /// The cancellation also goes into the work that the promise waits for: the inner promise that a callback
  /// returned, the inputs of `all` and its kin, the Swift task of an `async` body, and
  /// ``Resolver/onCancel(_:)`` of its resolver. It does not go up the chain, because the promise that an
  /// operator was called on may have other observers. To cancel that one, keep it, or bind it to a
  /// ``CancellationToken``.
  ///
  /// Where a promise comes from outside this library, such as the promise of a durable one, its outcome may
  /// be used up by being delivered. While that outcome is on its way here, a cancellation is too late.
  @discardableResult
  public func cancel(_ reason: CancellationReason = .unspecified) -> Bool {
    storage.cancel(reason)
  }

  /// Calls `handler` once if this very promise is cancelled by a call; not if a cancellation comes to it
  /// from a promise that it waits for. It does not start a lazy promise.
  package func onCancellationRequest(
    _ handler: @escaping @Sendable (CancellationReason) -> Void
  ) {
    storage.onCancel(onlyIfRequested: true, handler)
  }
}

extension Promise: CustomStringConvertible {
  /// The type, the outcome, and where the promise was created.
  public var description: String {
    let state = storage.outcome.map { "\($0)" } ?? (storage.isLazy ? "not started" : "pending")
    return "Promise<\(Value.self)>(\(state), \(storage.site))"
  }
}

extension Promise: Hashable {
  /// Two promises are equal if they are the same one.
  public static func == (left: Promise, right: Promise) -> Bool { left.storage === right.storage }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(storage))
  }
}
