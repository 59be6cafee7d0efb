import Dispatch

extension Promise {
  /// Blocks the calling thread until the promise settles, and returns the value.
  ///
  /// Use it in tests, in scripts and at the border to synchronous code; everywhere else, `await`. The call
  /// refuses at once, and reports, where it could only wait for itself: on the promise's own executor and
  /// on the main thread. If the promise has settled, the call returns everywhere.
  ///
  /// The outcome of a promise from outside this library may be used up by being delivered, see
  /// ``cancel(_:)``. While such an outcome is on its way here when the time runs out, the call waits for up to
  /// five seconds more. If it throws then, because the calling thread is one that a callback on the way
  /// needs, the outcome may be used up all the same.
  ///
  /// - Parameter timeout: The longest time to wait; zero or less means not at all.
  /// - Throws: the error of a rejected promise, or a ``PromiseError`` with one of the codes
  ///   ``PromiseError/Code/cancelled``, ``PromiseError/Code/timedOut`` and
  ///   ``PromiseError/Code/waitRefused``.
  @available(*, noasync, message: "await the promise's value instead")
  public func wait(timeout: Duration) throws -> Value {
    try wait(timeout: timeout, forDelivery: .seconds(5))
  }

  /// - Parameter extra: How much longer to wait for an outcome that is on its way.
  @available(*, noasync)
  func wait(timeout: Duration, forDelivery extra: Duration) throws -> Value {
    if let outcome { return try outcome.get() }
    guard !executor.isCurrent, !MainThread.isCurrent else {
      PromiseDiagnostics.report(.waitedOnOwnExecutor, at: storage.site)
      throw PromiseError(
        .waitRefused,
        "Waiting would block the thread that has to run the promise's callbacks. Chain with then, or "
          + "await the value.",
        site: storage.site)
    }
    let waiter = Waiter()
    let semaphore = DispatchSemaphore(value: 0)
    storage.observe(triggers: .detachable) { fate, _ in
      if !fate.answer(.waiter(waiter)) { waiter.wake(.settled) }
    }
    waiter.wait { _ in semaphore.signal() }
    if semaphore.wait(timeout: .now() + timeout.dispatchInterval) == .timedOut {
      if waiter.wake(.detached) {
        storage.detachObserver()
      } else {
        // The outcome is there, or on its way; but perhaps by way of a callback that waits for this thread.
        _ = semaphore.wait(timeout: .now() + extra.dispatchInterval)
      }
    }
    guard let outcome else {
      throw PromiseError(
        .timedOut, "The promise did not settle within \(timeout).", site: storage.site)
    }
    return try outcome.get()
  }
}

extension Duration {
  /// The duration in nanoseconds for Dispatch: nothing below zero, and at most a century.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    let century: Int64 = 3_155_760_000
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return .nanoseconds(0) }
    guard seconds < century else { return .nanoseconds(Int(century) * 1_000_000_000) }
    return .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
  }
}
