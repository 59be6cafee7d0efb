extension Promise {
  /// Makes a promise again and again until one is fulfilled, and settles as the last one.
  ///
  /// ```swift
  /// let image = Promise.retry(attempts: 5, delay: .exponential(first: .milliseconds(100))) { _ in
  ///   Promise { try await download(url) }
  /// }
  /// ```
  /// **Make the promise inside of the closure.** A promise runs its work once, so trying one again that was
  /// made outside runs nothing and meets the same error. Where `factory` returns the promise of the attempt
  /// before, that is reported as ``PromiseDiagnostic/Kind/retriedSamePromise``, with the line of the retry.
  ///
  /// A promise that is cancelled is not tried again: it cancels the result. Cancelling the result
  /// cancels the promise of the current attempt, or the wait between two.
  ///
  /// - `attempts` is how often `factory` runs at most, the first time included. Less than one is invalid
  ///   input: ``PromiseError/Code/invalidInput``, and it does not run.
  /// - `delay` is how long to wait **between** attempts.
  /// - `shouldRetry` is asked with each error and the number of the attempt before another one; not after
  ///   the last. If it throws, that error is the result.
  /// - `factory` is called on `executor` with the number of the attempt, counted from one. A throw counts
  ///   as a failed attempt.
  @_disfavoredOverload
  public static func retry(
    attempts: Int,
    delay: RetryDelay = .none,
    on executor: PromiseExecutor = .default,
    clock: any Clock<Duration> = ContinuousClock(),
    file: StaticString = #fileID,
    line: UInt = #line,
    when shouldRetry:
      @escaping @Sendable (_ error: any Error, _ attempt: Int) async throws -> Bool = { _, _ in
        true
      },
    _ factory: @escaping @Sendable (_ attempt: Int) throws -> Promise<Value>
  ) -> Promise<Value> {
    guard attempts >= 1 else {
      let message = "retry was asked for \(attempts) attempts, but at least one must run."
      let error = PromiseError.invalidInput(message, site: SourceSite(file, line))
      return .rejected(error, on: executor, file: file, line: line)
    }
    let target = PromiseStorage<Value>(executor: executor, site: SourceSite(file, line))
    let repetition = RepetitionWatch()
    return Promise(target) {
      // Weakly, because the target keeps the task.
      [weak target] in
      var attempt = 1
      while true {
        try Task.checkCancellation()
        let number = attempt
        let made = Promise<Void>.value((), on: executor).then {
          let promise = try factory(number)
          repetition.note(promise.storage, SourceSite(file, line))
          return promise
        }
        let outcome = try await made.settlement(whenTaskIsCancelled: .cancelsPromise, for: target)
        // Every other outcome settles the target, as it is: an error is not thrown, which could mean that
        // the target was cancelled.
        guard case .rejected(let error) = outcome, attempt < attempts else { return outcome }
        // From here on it takes any time.
        target?.endClaims(from: made.storage)
        guard try await shouldRetry(error, attempt) else { return outcome }
        let pause = delay.delay(afterAttempt: attempt)
        if pause > .zero {
          // Through a promise, which clamps what no clock can sleep for.
          let timer = Promise<Void>.after(pause, clock: clock)
          try await timer.value(whenTaskIsCancelled: .cancelsPromise)
        }
        attempt += 1
      }
    }
  }
}

extension Promise {
  /// A promise runs its work once, so there is nothing that it could do again.
  @available(
    *, unavailable,
    message: """
      a promise runs its work once. Make it inside the closure of \
      Promise.retry(attempts: 3) { _ in … }
      """
  )
  public func retry(_ attempts: Int = 3) -> Promise<Value> { self }
}
