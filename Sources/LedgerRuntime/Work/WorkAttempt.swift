import Logging

/// One attempt of work: prepares the code, runs it, and ends the attempt with its effects.
struct WorkAttempt: Sendable {
  let ledger: Ledger
  let entity: PromiseEntity
  /// The work as its creation describes it, decoded once for the whole attempt.
  let work: PromiseCreated.Work
  let flow: WorkFlow
  let observer: (any WorkObserver)?
  /// Tells why the task of the code was cancelled.
  let interruption: Interruption

  private var id: PromiseID { entity.id }
  private var number: UInt32 { flow.attempt }

  /// The result of an attempt.
  private enum Outcome {
    case finish(FinishWork.Result, [HandlerEffect])
    case giveBack(WorkReleased.Reason, StoredError?)
    /// The code has lost the work, so there is nothing to record.
    case lost

    /// What to record in place of an outcome that can never be recorded.
    func after(_ error: any Error) -> Outcome? {
      switch self {
      // Another attempt would have the same result, and ask for the same effects.
      case .finish(.returned, _): .finish(.failed(StoredError(error), isFinal: true), [])
      case .finish(.failed, _), .finish(.cancelled, _): .giveBack(.parked, StoredError(error))
      case .giveBack, .lost: nil
      }
    }
  }

  /// - Returns: Whether the code has lost the work, so that an attempt of this session may be left without code.
  func run() async -> Bool {
    var outcome = await outcome()
    if case .finish = outcome, !(await takesUp()) { outcome = .lost }
    flow.end()
    await Task.detached { [outcome] in await record(outcome) }.value
    return if case .lost = outcome { true } else { flow.fault != nil }
  }

  /// Starts the next attempt if the work was given back while code went on of which the ledger does not know, so that
  /// the runner does not run the work again in place of what has ended.
  ///
  /// - Returns: Whether the code has the work.
  private func takesUp() async -> Bool {
    do {
      let called = CalledWork(
        promise: id, kind: work.kind, startedAt: entity.created.time, flow: flow, promises: [],
        observer: observer)
      try await WorkDriver(ledger: ledger, called: called).takeUp()
      return true
    } catch is WorkSuspended {
      return false
    } catch {
      // The end of the attempt tells.
      return true
    }
  }

  // MARK: Running

  private func outcome() async -> Outcome {
    do {
      guard let registration = ledger.configuration.handlers[work: work.kind] else {
        return .giveBack(.notRunnable, nil)
      }
      let (source, record) = try await readArguments()
      return try await run(registration, source, record)
    } catch let error as UnfitWork {
      // No attempt of this build can succeed.
      return .giveBack(.parked, StoredError(error.error))
    } catch {
      return failure(error)
    }
  }

  /// Reads the arguments and the record, however long the ledger cannot be read.
  private func readArguments() async throws -> (ArgumentSource, PromiseRecord) {
    try await ledger.patiently("the arguments of work cannot be read yet", metadata) {
      let arguments = try await ledger.records.load(entity.workArguments(work))
      let source = ArgumentSource(
        handler: .work(id, kind: work.kind), bound: arguments,
        given: try await outcome(awaitedBy: work.trigger))
      return (source, try await ledger.records.promiseRecord(of: entity))
    }
  }

  /// The outcome of the awaited promise, as arguments.
  private func outcome(awaitedBy trigger: WorkTrigger) async throws -> StoredArguments {
    guard case .after(let awaited, _) = trigger,
      let promise = try await ledger.engine.read({ try $0.promise(awaited) })
    else { return .none }
    let outcome = try await ledger.records.outcome(of: promise)
    switch outcome {
    case .fulfilled(let value):
      return try StoredArguments([
        StoredArgument(name: "value", typeTag: value.typeTag, payload: value.bytes)
      ])
    case nil where promise.status != .abandoned: return .none
    default:
      let failure = outcome?.failure ?? .cancelled(reason: promise.abandonReason)
      guard let encoded = try ArgumentCoding.encode(failure.storedError) else { return .none }
      return try StoredArguments([
        StoredArgument(name: "failure", typeTag: encoded.typeTag, payload: encoded.payload)
      ])
    }
  }

  private func run(
    _ registration: WorkRegistration, _ source: ArgumentSource, _ record: PromiseRecord
  ) async throws -> Outcome {
    let effects = EffectCollector(
      of: .work(id, kind: work.kind), .attempt(number), in: ledger)
    defer { _ = effects.end() }
    let timeout = (entity.progress?.options ?? work.options).attemptTimeout
    let value = try await interruption.limiting(timeout, flow, in: ledger) {
      let attempt = try await registration.prepare(source, record, ledger)
      // Another attempt may run by now. Code that is to learn of a cancellation begins.
      try flow.requireTime()
      let called = CalledWork(
        promise: id, kind: work.kind, startedAt: entity.created.time, flow: flow,
        promises: attempt.promises, observer: observer)
      let code = RunningCode.waiting + [effects.code(with: attempt.promises)]
      return try await RunningCode.$current.withValue(code) {
        try await attempt.code(called, effects)
      }
    }
    if let end = endOfFlow { return end }
    return .finish(.returned(typeTag: value.typeTag, bytes: value.bytes), effects.end())
  }

  /// The outcome of an attempt that ended before its code did: whatever the code did then does not count.
  private var endOfFlow: Outcome? {
    if let fault = flow.fault { return .giveBack(.parked, fault) }
    if flow.hasEnded { return .lost }
    guard flow.wasCutOff else { return nil }
    guard case .timeout(let timeout)? = interruption.reason else {
      return .giveBack(.cancelled, nil)
    }
    return .finish(.failed(WorkFailure.timedOut(after: timeout), isFinal: false), [])
  }

  private func failure(_ error: any Error) -> Outcome {
    if let end = endOfFlow { return end }
    let isCancellation = error.isCancellation
    switch interruption.reason {
    case .stop? where isCancellation: return .giveBack(.cancelled, nil)
    case .timeout(let timeout)? where isCancellation:
      return .finish(.failed(WorkFailure.timedOut(after: timeout), isFinal: false), [])
    default: break
    }
    let limit = ledger.configuration.maximumPayloadSizeInBytes
    let stored = StoredError(error).limited(toByteCount: limit)
    if let failure = error as? StepFailure, failure.isCancellation {
      return .finish(.cancelled(stored), [])
    }
    return .finish(.failed(stored, isFinal: error.endsWork), [])
  }

  // MARK: Ending

  /// Records the end of the attempt, however long the ledger cannot be written to.
  private func record(_ first: Outcome) async {
    var outcome = first
    while true {
      do {
        return try await ledger.patiently("the end of an attempt cannot be recorded yet", metadata)
        { [outcome] in try await recordOnce(outcome) }
      } catch {
        guard let next = outcome.after(error) else {
          // The attempt stays with this session, and is given back when the session ends.
          return log("the end of an attempt could not be recorded", error)
        }
        log("the result of an attempt cannot be recorded", error)
        outcome = next
      }
    }
  }

  private func recordOnce(_ outcome: Outcome) async throws {
    switch outcome {
    case .giveBack(let reason, let error):
      _ = try await ledger.engine.submit(
        ReleaseWork(id: id, attempt: number, reason: reason, error: error))
    case .finish(let result, let effects): try await finish(result, effects)
    case .lost: break
    }
  }

  private func finish(_ result: FinishWork.Result, _ effects: [HandlerEffect]) async throws {
    guard let registration = ledger.configuration.handlers[work: work.kind] else { return }
    let handlers = HandlerRunner(ledger: ledger)
    let checked = try await handlers.checked(effects)
    let command = FinishWork(
      id: id, attempt: number, result: result, codeStart: entity.progress?.start?.position,
      effects: checked,
      formerTypeTags: try registration.formerTypeTags(ledger), policy: registration.retryPolicy)
    let followers = try await handlers.noting(checked) {
      switch try await ledger.engine.submit(command) {
      case .settled(let settled): return settled.startedCalls
      case .retrying(let time, let error):
        log("work failed and is run again", error, ["at": "\(time)"])
      case .parked(let error): log("work failed and is parked", error)
      case .superseded:
        log("an attempt was superseded, or its work ended; its result is discarded", nil)
        return nil
      }
      return []
    }
    // Calls that the code scheduled do not hold up the work.
    Task.detached { await handlers.perform(chain: followers) }
  }

  private var metadata: Logger.Metadata { ["promise": "\(id)", "attempt": "\(number)"] }

  private func log(
    _ what: Logger.Message, _ error: (any Error)?, _ more: Logger.Metadata = [:]
  ) {
    var metadata = metadata
    if let error { metadata["error"] = "\(error)" }
    metadata.merge(more) { $1 }
    ledger.configuration.logger.warning(what, metadata: metadata)
  }
}

/// The errors of attempts that the runner itself records.
enum WorkFailure {
  static func timedOut(after timeout: Duration) -> StoredError {
    StoredError(
      domain: WorkError.domain, code: 5,
      message: "The attempt took longer than \(timeout), and was cancelled.")
  }
}

extension Error {
  /// Whether another attempt of work would end with the same error.
  fileprivate var endsWork: Bool {
    self is Permanent || self is PromiseFailure || self is StepFailure
      || (self as? LedgerError)?.code == .promiseAbandoned
  }
}

extension PromiseOutcome {
  /// The reason why there is no value.
  fileprivate var failure: PromiseFailure? {
    switch self {
    case .fulfilled: nil
    case .rejected(let error): .rejected(error)
    case .cancelled(let reason): .cancelled(reason: reason)
    case .timedOut: .timedOut
    }
  }
}
