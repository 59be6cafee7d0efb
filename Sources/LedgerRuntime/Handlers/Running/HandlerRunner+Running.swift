import Logging

extension HandlerRunner {
  /// The maximum number of successive calls that effects can cause before the first call returns; further
  /// ones are given back.
  static let maximumChainLength = 1_000

  // MARK: Preparing

  func prepare(_ started: StartedCall) async throws -> HandlerRegistration.Run {
    let (entity, call) = (started.entity, started.call)
    return try await prepare(
      entity, call.purpose, bound: call.bound.arguments,
      given: try await ledger.records.load(call.arguments))
  }

  /// Checks everything that can fail before code runs.
  func prepare(
    _ entity: HandlerEntity, _ purpose: HandlerCallPurpose, bound: ArgumentsReference,
    given: StoredArguments
  ) async throws -> HandlerRegistration.Run {
    guard let registration = registry[entity.kind] else {
      throw LedgerError.handlerUnregistered(entity)
    }
    let source = ArgumentSource(
      handler: entity.name, bound: try await ledger.records.load(bound), given: given)
    let record = try await ledger.records.record(of: entity)
    let live = try live?.object(for: entity, taking: registration.liveType)
    switch purpose {
    case .call: return try await registration.prepareCall(source, record, live, ledger)
    case .invalidation:
      guard let prepare = registration.prepareInvalidation else {
        throw LedgerError.withoutInvalidationCode(entity)
      }
      return try await prepare(source, record, live, ledger)
    }
  }

  /// Prepares a call that has begun; if it cannot run here, it is given back so that other sessions may try.
  func prepareOrGiveBack(
    _ started: StartedCall
  ) async throws -> HandlerRegistration.Run {
    do {
      return try await prepare(started)
    } catch {
      await giveBack(started, .notRunnable)
      throw error
    }
  }

  // MARK: Running

  /// Runs a call that has begun, and then the calls that its effects began.
  func perform(
    _ started: StartedCall, _ run: HandlerRegistration.Run
  ) async throws -> HandlerResult {
    let (result, next) = try await runAndFinish(started, run)
    await HandlerRunner(ledger: ledger).perform(chain: next)
    return result
  }

  /// Runs calls that effects began; their failures are recorded, but are not errors of the first call.
  func perform(chain first: [StartedCall]) async {
    var queue = first
    var index = 0
    while index < queue.count {
      let started = queue[index]
      index += 1
      defer { running.end(started.call.id) }
      guard index <= Self.maximumChainLength else {
        log("too many calls follow from one", started, nil)
        await giveBack(started, .notRunnable)
        continue
      }
      do {
        guard let own = try await stillOwn(started) else {
          log("a call that followed from another was taken over, or withdrawn", started, nil)
          continue
        }
        let run = try await prepareOrGiveBack(own)
        queue += try await runAndFinish(own, run).next
      } catch {
        log("a call that followed from another failed", started, error)
      }
    }
  }

  /// A call that began earlier, if this session is still the one to run it. If the session gave it back
  /// meanwhile, because it froze, the result is its next attempt.
  private func stillOwn(_ started: StartedCall) async throws -> StartedCall? {
    let (id, call, attempt) = (started.entity.id, started.call.id, started.call.attempt)
    let entity = try await ledger.engine.read { try $0.handler(id) }
    guard let open = entity?.openCalls[call], open.attempt == attempt else { return nil }
    guard open.isReleased else { return started }
    let answer = try await ledger.engine.submit(
      RetryCall(id: id, call: call, expectedAttempt: attempt))
    guard case .started(let again) = answer else { return nil }
    return again
  }

  private func runAndFinish(
    _ started: StartedCall, _ run: HandlerRegistration.Run
  ) async throws -> (result: HandlerResult, next: [StartedCall]) {
    let call = RunningCall(started, rejecting: run.promiseToReject, in: ledger)
    let value: StoredValue
    do {
      value = try await CallChain.$current.withValue(CallChain.waiting + [call]) {
        let code = RunningCode.waiting + [call.effects.code(with: run.promises)]
        return try await RunningCode.$current.withValue(code) { try await run.code(call) }
      }
    } catch {
      _ = call.effects.end()
      if error is CancellationError, Task.isCancelled {
        await giveBack(started, .cancelled)
        throw error
      }
      let limit = ledger.configuration.maximumPayloadSizeInBytes
      let stored = StoredError(error).limited(toByteCount: limit)
      _ = try await finish(call, .failed(stored), [])
      throw error
    }
    let effects = call.effects.end()
    let finished = try await finish(
      call, .returned(typeTag: value.typeTag, bytes: value.bytes), effects)
    let result = HandlerResult(
      handler: call.handler, call: call.id, attempt: Int(call.attempt), stored: value,
      effects: finished.effects, ledger: ledger)
    return (result, finished.startedCalls + finished.startedInvalidations)
  }

  /// Ends a call with its effects, in one commit. It does so even if the task was cancelled, because the code
  /// has already run.
  private func finish(
    _ call: RunningCall, _ result: HandlerCallFinished.Result, _ effects: [HandlerEffect]
  ) async throws -> FinishCall.Finished {
    var effects = effects
    #if DEBUG
      if ledger.configuration.hooks.commitsEffectsBeforeFinish {
        effects = try await commitEarly(effects)
      }
    #endif
    let requested = try await checked(effects)
    let command = FinishCall(
      id: call.handler, call: call.id, attempt: call.attempt, result: result, effects: requested,
      promiseToReject: call.promiseToReject)
    var answer: FinishCall.Answer?
    do {
      _ = try await noting(requested) {
        let given = try await submitUncancelled(command)
        answer = given
        guard case .finished(let finished) = given else { return [] }
        return finished.startedCalls + finished.startedInvalidations
      }
    } catch let error as LedgerError where error.code == .commitOutcomeUnknown {
      performUnanswered(requested)
      throw error
    }
    switch answer {
    case .finished(let finished)?:
      for (effect, decided) in zip(requested.effects, finished.effects)
      where decided.verdict == .typeMismatch {
        guard let unfit = effect.unfit else { continue }
        log(
          "an effect of a call has invalid arguments", call.handler, call.kind, call.id, unfit.error
        )
      }
      return finished
    case .superseded?, nil:
      throw LedgerError.superseded(call.id, attempt: call.attempt, of: call.handlerName)
    case .requiredEffectRefused(let refused, let error, _)?:
      throw LedgerError(
        .requiredEffectRefused,
        "\(call.handlerName): the effect \(refused.effect) on \(refused.subject) was refused (\(refused.verdict)) in call \(call.id), which required it. The call is recorded as failed, without any effect of its code.",
        cause: error)
    }
  }

  #if DEBUG
    /// A deliberate bug that crash tests must detect; see ``EngineHooks``.
    ///
    /// - Returns: The remaining effects.
    private func commitEarly(_ effects: [HandlerEffect]) async throws -> [HandlerEffect] {
      var left: [HandlerEffect] = []
      for effect in effects {
        switch effect.action {
        case .resolvePromise(let command): _ = try await submitUncancelled(command)
        case .createPromise(let command): _ = try await submitUncancelled(command)
        default: left.append(effect)
        }
      }
      return left
    }
  #endif

  /// Gives a call back, so that it may run again.
  private func giveBack(_ started: StartedCall, _ reason: HandlerCallReleased.Reason) async {
    do {
      _ = try await submitUncancelled(
        ReleaseCall(
          id: started.entity.id, call: started.call.id, attempt: started.call.attempt,
          reason: reason))
    } catch {
      // The call stays with this session, which may run it again, and is given back when the session ends.
      log("a call could not be given back", started, error)
    }
  }

  private func submitUncancelled<Answer>(
    _ command: some Command<Answer>
  ) async throws -> Answer {
    try await ledger.engine.submitUncancelled(command)
  }

  private func log(_ what: Logger.Message, _ started: StartedCall, _ error: (any Error)?) {
    log(what, started.entity.id, started.entity.kind, started.call.id, error)
  }

  private func log(
    _ what: Logger.Message, _ handler: HandlerID, _ kind: String, _ call: CallID,
    _ error: (any Error)?
  ) {
    ledger.configuration.logger.warning(
      what,
      metadata: [
        "handler": "\(handler)", "kind": "\(kind)", "call": "\(call)",
        "error": "\(error.map { "\($0)" } ?? "none")",
      ])
  }
}

extension StoredError {
  /// The error, if necessary without its payload and most of its message.
  func limited(toByteCount limit: Int) -> StoredError {
    var limited = self
    // No event can hold such a name. It may be from data that the code decoded.
    if let payload, payload.typeTag.utf8.count > Int(UInt16.max) {
      limited = StoredError(domain: domain, code: code, message: message)
    }
    guard limited.encoded.count > limit else { return limited }
    return StoredError(domain: domain, code: code, message: message.cut(toByteCount: 1_024))
  }
}
