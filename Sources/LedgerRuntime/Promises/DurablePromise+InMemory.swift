public import LedgerPromises
import Logging

/// How far the cancellation of the in-memory promise of a durable one goes.
@nonexhaustive public enum PromiseCancellationReach: Sendable {
  /// The in-memory promise stops waiting; the durable promise stays as it is.
  case memory
  /// The durable promise is cancelled too.
  case ledger
}

extension DurablePromise {
  /// The promise as one in memory that every operator takes; its delivery consumes.
  ///
  /// The same as ``promise(on:cancelling:file:line:)`` with its defaults.
  public var promise: Promise<Value> { promise() }

  /// The promise as one in memory that every operator takes; its delivery consumes.
  ///
  /// ```swift
  /// avatar.promise
  ///   .timeout(.seconds(30))
  ///   .done(on: .main) { show($0) }
  ///   .catch(on: .main) { show($0) }
  /// ```
  /// It begins to wait when the first observer attaches. The outcome is consumed only if something below
  /// still takes it: a chain whose end is pending, or a task that waits. Otherwise the durable promise stays
  /// resolved and unconsumed, and this promise pending until something observes it, or a promise behind it,
  /// again. A timeout or a cancellation that comes while the consumption is being written is too late: the
  /// outcome is delivered.
  ///
  /// | durable promise | promise in memory |
  /// |---|---|
  /// | fulfilled | fulfilled, once the consumption is durable |
  /// | rejected | rejected with `PromiseFailure.rejected` |
  /// | cancelled | cancelled with the same reason |
  /// | timed out | rejected with `PromiseFailure.timedOut` |
  /// | not to be had | rejected with a ``LedgerError``, such as `roleMayNotConsume`, `alreadyConsumed`, `promiseAbandoned`, `notFound`, `closed` |
  ///
  /// A frozen ledger delivers after it was unfrozen. Every call makes a promise of its own; all of one
  /// session get the outcome. While one waits, its ledger stays open, unless it is closed by hand.
  ///
  /// - Parameters:
  ///   - executor: Where callbacks run that name no executor.
  ///   - reach: What becomes of the durable promise if this one is cancelled. With
  ///     ``PromiseCancellationReach/memory`` nothing. With ``PromiseCancellationReach/ledger`` it is cancelled unless it
  ///     has an outcome, and that consumed if the role allows; a failure to do so is logged.
  ///   - file: Where the promise was made, for diagnostics.
  ///   - line: Where the promise was made, for diagnostics.
  public func promise(
    on executor: PromiseExecutor = .default, cancelling reach: PromiseCancellationReach = .memory,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value> {
    let promise = Promise<Value>.offered(on: executor, file: file, line: line) { offer in
      let task = Task { await deliver(to: offer) }
      offer.onCancel { _ in task.cancel() }
    }
    if reach == .ledger {
      promise.onCancellationRequest { reason in Task { await cancelAndConsume(reason) } }
    }
    return promise
  }

  /// The outcome as a promise in memory, in any role and without consuming it.
  ///
  /// The same as ``outcomePromise(on:file:line:)`` with its defaults.
  public var outcomePromise: Promise<PromiseOutcome<Value>> { outcomePromise() }

  /// The outcome as a promise in memory, in any role and without consuming it.
  ///
  /// It begins to wait when the first observer attaches, and is fulfilled with every outcome, also with
  /// a rejection or a cancellation of the durable promise. It is rejected with what ``outcome`` throws.
  /// Cancelling it ends the wait and nothing else.
  ///
  /// - Parameters:
  ///   - executor: Where callbacks run that name no executor.
  ///   - file: Where the promise was made, for diagnostics.
  ///   - line: Where the promise was made, for diagnostics.
  public func outcomePromise(
    on executor: PromiseExecutor = .default, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<PromiseOutcome<Value>> {
    whenObserved(on: executor, file: file, line: line) { try await outcome }
  }

  /// Gives the promise the outcome that a promise in memory has or will have.
  ///
  /// A value fulfils. An error rejects, stored as data, see ``StoredError/init(_:)``. A cancellation, also
  /// one of another durable promise, cancels, with its reason cut to 2,048 bytes of UTF-8 and without
  /// control characters.
  ///
  /// - Parameters:
  ///   - promise: The promise in memory. A lazy one is started.
  ///   - executor: Where callbacks of the returned promise run that name no executor.
  ///   - idempotencyKey: Makes a repetition of this request recognisable.
  ///   - strict: Whether a repetition counts as one only if its outcome is the same.
  ///   - file: Where the returned promise was made, for diagnostics.
  ///   - line: Where the returned promise was made, for diagnostics.
  /// - Returns: What became of the request, once it is durable, or a rejection with what
  ///   ``resolve(with:idempotencyKey:strict:)`` throws. Cancelling it takes the request back, unless the
  ///   writer has taken it, and leaves `promise` alone.
  @discardableResult
  public func resolve(
    from promise: Promise<Value>, on executor: PromiseExecutor = .default,
    idempotencyKey: IdempotencyKey? = nil, strict: Bool = true,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<PromiseResolution> {
    Promise<PromiseResolution>(on: executor, file: file, line: line) {
      let outcome = PromiseOutcome(try await promise.settlement())
      return try await resolve(with: outcome, idempotencyKey: idempotencyKey, strict: strict)
    }
  }

  // MARK: - Between memory and ledger

  /// Waits for the outcome and delivers it to what takes it. If nothing does, the outcome stays in the
  /// ledger, and the promise in memory rests until something may take it, or the session ends.
  private func deliver(to offer: Offer<Value>) async {
    do {
      let (outcome, isTaken) = try await consumeIfTaken(offer)
      guard isTaken else {
        let end = try ledger.engine.sessionEnd()
        return offer.rest(isFulfilment: outcome.kind == .fulfilled, until: end)
      }
      offer.settle(.fulfilled(try outcome.get()))
    } catch PromiseFailure.cancelled(let reason) {
      offer.settle(.cancelled(CancellationReason(reason)))
    } catch is CancellationError {
      offer.settle(.cancelled(.taskCancelled))
    } catch {
      offer.settle(.rejected(error))
    }
  }

  /// Waits for the outcome, and consumes it if something below the promise in memory takes it.
  private func consumeIfTaken(
    _ offer: Offer<Value>
  ) async throws -> (outcome: PromiseOutcome<Value>, isTaken: Bool) {
    let ledger = try ledger
    try ledger.engine.beginUse(of: id)
    defer { ledger.engine.endUse(of: id) }
    try await ledger.requireConsumer(of: id)
    let outcome = try await outcome
    // Asked by the writer, so that what ended the interest until then counts.
    let command = ConsumePromise(id: id, delivery: .recordedBefore) {
      offer.claimTaker(isFulfilment: outcome.kind == .fulfilled)
    }
    do {
      let answer = try await ledger.engine.submit(command)
      if case .notTaken = answer { return (outcome, false) }
      try ledger.requireConsumed(answer, id)
      return (outcome, true)
    } catch {
      // Nothing is on its way then, so what came meanwhile counts, before the error does.
      offer.withdraw()
      throw error
    }
  }

  private func whenObserved<Result: Sendable>(
    on executor: PromiseExecutor, file: StaticString, line: UInt,
    _ wait: @escaping @Sendable () async throws -> Result
  ) -> Promise<Result> {
    .lazy(on: executor, file: file, line: line) { resolver in
      let task = Task {
        do {
          resolver.fulfill(try await wait())
        } catch PromiseFailure.cancelled(let reason) {
          resolver.cancel(CancellationReason(reason))
        } catch is CancellationError {
          resolver.cancel(.taskCancelled)
        } catch {
          resolver.reject(error)
        }
      }
      resolver.onCancel { _ in task.cancel() }
    }
  }

  /// Cancels the durable promise. The code that asked for that knows the outcome, so the app consumes it; an
  /// outcome that came before stays for others.
  private func cancelAndConsume(_ reason: CancellationReason) async {
    do {
      let ledger = try ledger
      let text = TextLimit.reason.fitting(reason.description)
      guard case .resolved = try await cancel(reason: text), ledger.role == .app else { return }
      _ = try await ledger.engine.submit(ConsumePromise(id: id, delivery: .recordedBefore))
    } catch {
      (try? ledger)?.engine.setup.logger.warning(
        "a promise was cancelled in memory, but not in the ledger",
        metadata: ["promise": "\(id)", "error": "\(error)"])
    }
  }
}

extension PromiseOutcome {
  /// What the ledger stores for a promise in memory.
  fileprivate init(_ outcome: Outcome<Value>) {
    switch outcome {
    case .fulfilled(let value):
      self = .fulfilled(value)
    case .rejected(PromiseFailure.cancelled(let reason)):
      self = .cancelled(reason: TextLimit.reason.fitting(reason))
    case .rejected(let error):
      self = .rejected(StoredError(error))
    case .cancelled(let reason):
      self = .cancelled(reason: TextLimit.reason.fitting(reason.description))
    }
  }
}
