extension Promise {
  /// Rejects if this promise takes longer than `duration`.
  ///
  /// ```swift
  /// download(url)
  ///   .timeout(.seconds(30), throwing: DownloadError.tooSlow, cancellingSource: true)
  /// ```
  /// A promise that has settled always beats the timer, also with a duration of zero or less. The timer
  /// is released as soon as either side settles. An outcome that comes after the time ran out, also a
  /// rejection, is reported as ``PromiseDiagnostic/Kind/settledLate``.
  ///
  /// The outcome of a promise from outside this library may be used up by being delivered, see
  /// ``cancel(_:)``. While such an outcome is on its way here, the timer waits for it, even if the executor
  /// of a callback in between is busy for longer than `duration`.
  ///
  /// - Parameters:
  ///   - duration: How long this promise may take, from now on.
  ///   - error: The error of the new promise if time runs out; by default a ``PromiseError`` with the code
  ///     ``PromiseError/Code/timedOut``. An error that means a cancellation when it is thrown, such as
  ///     `CancellationError`, cancels.
  ///   - cancellingSource: Whether running out of time also cancels this promise.
  ///   - clock: Measures the time.
  ///   - file: Where the promise was made, for diagnostics.
  ///   - line: Where the promise was made, for diagnostics.
  @discardableResult
  public func timeout(
    _ duration: Duration,
    throwing error: (any Error)? = nil,
    cancellingSource: Bool = false,
    clock: any Clock<Duration> = ContinuousClock(),
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<Value> {
    let site = SourceSite(file, line)
    let source = storage
    let target = source.makeTarget(of: Value.self, on: nil, file, line)
    let limit = TimeLimit(target)
    source.observe(triggers: []) { fate, context in
      let isOwnCancellation = cancellingSource && fate.failure?.kind == .cancelled
      if limit.sourceDidSettle(source, fate, in: context), !isOwnCancellation {
        PromiseDiagnostics.report(.settledLate, at: site)
      }
    }
    let limited = Promise(target)
    guard !target.isSettled else { return limited }
    let timer = Timer(after: duration, on: clock) {
      guard !source.isSettled else { return }
      let failure = Failure(
        thrown: error
          ?? PromiseError(
            .timedOut, "The promise did not settle within \(duration).", site: site))
      target.settleFromOutside {
        let result = target.settle(failure, isOutsider: true, in: nil)
        if cancellingSource, result.didSettle { source.cancel("timed out") }
        return result
      }
    }
    target.observe(triggers: [], quietly: true) { _, _ in
      timer.cancel()
      limit.end()
    }
    return limited
  }

  /// Passes the value on after a while; a failure goes on at once.
  ///
  /// The time begins when this promise is fulfilled. Zero or less is no delay. The timer is released
  /// when the new promise is cancelled, and the value is then lost to it.
  public func delay(
    _ duration: Duration,
    clock: any Clock<Duration> = ContinuousClock(),
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<Value> {
    link(to: Value.self, on: nil, SourceSite(file, line), triggers: []) {
      source, target, fate, context in
      guard fate.isFulfilled, duration > .zero else {
        return target.settle(like: source, fate: fate, in: context)
      }
      target.endClaims()
      let timer = Timer(after: duration, on: clock) {
        target.settle(like: source, fate: .fulfilled, in: nil)
      }
      target.onCancel { _ in timer.cancel() }
    }
  }
}

extension Promise where Value == Void {
  /// Is fulfilled after a while. Cancelling it releases the timer.
  ///
  /// Zero or less gives a promise that is fulfilled already.
  public static func after(
    _ duration: Duration,
    on executor: PromiseExecutor = .default,
    clock: any Clock<Duration> = ContinuousClock(),
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<Void> {
    Promise.value((), on: executor, file: file, line: line)
      .delay(duration, clock: clock, file: file, line: line)
  }
}
