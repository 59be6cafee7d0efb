extension LedgerCall where Subject == CalledWork {
  /// Runs code whose result is kept: no attempt of the work runs it again.
  ///
  /// The result is durable before the method returns. Each attempt runs the work's code from the top, and finds
  /// finished steps by their names. So the order of steps does not matter, and new builds may add and remove
  /// steps.
  ///
  /// ```swift
  /// let charge = try await call.step("charge") { step in
  ///   try await shop.charge(order, idempotencyKey: step.idempotencyKey)
  /// }
  /// ```
  ///
  /// If the process dies between the end of the body and the commit that keeps its result, the body runs again:
  /// a body runs **at least** once. Pass `idempotencyKey` of the step to other systems, so that they
  /// recognize the repetition. Effects that the body requests through its own call happen exactly once.
  ///
  /// If the body throws, it is run again as `policy` says. An error that is thrown again and again, or that is
  /// ``Permanent``, is kept in the same way as a value: then the method throws ``StepFailure``, in every attempt.
  ///
  /// - Parameters:
  ///   - name: The name of the step, 1 to 128 bytes of UTF-8. Never change it while work runs, except with
  ///     `formerly`.
  ///   - key: A text that distinguishes steps of one name, 1 to 128 bytes of UTF-8. Without keys, steps of one
  ///     name are numbered in the order in which the code begins them, and must not run at once.
  ///   - policy: The policy for failures of the body.
  ///   - formerly: Former names of the step, the newest first.
  ///   - ignoringCancellation: Whether the step runs although the work is cancelled, because it undoes something.
  ///     Steps that begin after the code has learned of the cancellation run in any case.
  ///   - body: The code. It receives a call of its own.
  /// - Returns: The result of the body, from whatever attempt.
  /// - Throws: ``StepFailure`` if the body failed for the last time, or the work was cancelled;
  ///   ``WorkSuspended`` if the code has lost the work, which you should let pass; `CancellationError`.
  @discardableResult
  public func step<Value: Sendable>(
    _ name: String, key: String? = nil, retrying policy: WorkRetryPolicy = .standard,
    formerly: [String] = [], ignoringCancellation: Bool = false,
    _ body: @escaping @Sendable (StepCall<Context>) async throws -> Value
  ) async throws -> Value {
    let context = context
    let run = StepRun(
      driver: driver, policy: policy, ignoresCancellation: ignoringCancellation,
      codec: try ledger.configuration.codecs.codec(for: Value.self)
    ) { called, effects in
      try await body(StepCall<Context>(called, effects, context: context))
    }
    return try await run(name, key: key, formerly: formerly)
  }

  var driver: WorkDriver { WorkDriver(ledger: ledger, called: subject) }
}
