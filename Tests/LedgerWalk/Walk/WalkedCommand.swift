package import LedgerModel
import LedgerModelTestSupport
package import LedgerOracle

/// A command of the oracle as a command of the library, with its answer in the terms of the oracle.
package struct WalkedCommand: Command {
  private let command: OracleCommand
  /// The attempt that the command is about.
  private let attempt: UInt32
  /// The binding that the command expects; `nil` if it expects none.
  private let binding: Position?

  static let runnableKinds: Set<String> = ["kind0", "kind1"]
  static let kindsWithCode: Set<String> = ["kind0"]

  private static func requested(
    _ effects: [Oracle.Effect]
  ) throws(LedgerError) -> RequestedEffects {
    RequestedEffects(
      try effects.map { (effect) throws(LedgerError) in try effect.model() },
      runnableKinds: runnableKinds, kindsWithInvalidationCode: kindsWithCode)
  }

  /// - Parameter particulars: What the caller knows of the ledger.
  package init(_ command: OracleCommand, _ particulars: Oracle.Particulars) {
    self.command = command
    attempt = UInt32(particulars.attempt)
    binding = particulars.bound.map { Position(rawValue: UInt64($0)) }
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Oracle.Answer {
    switch command {
    case .create(let id, let creation, let isStrict, let adoptsAny):
      let command = try creation.command(id, isStrict: isStrict, adoptsAny: adoptsAny)
      switch try decision.run(command) {
      case .created: return .created
      case .deduplicated: return .deduplicated
      case .conflict: return .conflict
      }
    case .resolve(let id, let resolve):
      switch try decision.run(resolve.command(id)) {
      case .resolved: return .resolved
      case .deduplicated: return .deduplicated
      case .alreadyResolved: return .alreadyResolved
      case .abandoned: return .abandoned
      case .notFound: return .notFound
      }
    case .consume(let id):
      let command = ConsumePromise(id: WalkNames.promise(id), delivery: .recordedBefore)
      switch try decision.run(command) {
      case .notFound: return .notFound
      case .pending: return .pending
      case .consumed: return .consumed
      case .alreadyConsumed: return .alreadyConsumed
      case .abandoned: return .abandoned
      case .notTaken: return .refused(.other("not taken"))
      }
    case .abandon(let id):
      switch try decision.run(AbandonPromise(id: WalkNames.promise(id), reason: "0")) {
      case .notFound: return .notFound
      case .abandoned: return .abandoned
      case .alreadyConsumed: return .alreadyConsumed
      case .alreadySettled: return .alreadySettled
      }
    case .timeOutDue: return .count(try decision.run(TimeOutDuePromises()))
    case .look(let id):
      return .flag(try decision.run(LookAtPromise(id: WalkNames.promise(id))).entity != nil)
    default: return try decideAboutSessions(in: &decision)
    }
  }

  private func decideAboutSessions(in decision: inout Decision) throws(LedgerError)
    -> Oracle.Answer
  {
    switch command {
    case .open(let role): try decision.run(OpenSession(.sample(role: role.model)))
    case .freeze: try decision.run(FreezeSession())
    case .unfreeze: try decision.run(UnfreezeSession(processID: 7))
    case .close(let id, let died):
      try decision.run(CloseSession(id: .numbered(id), reason: died ? .died : .closed))
    case .createTogether(let id, let creation, let handler, let handlerCreation):
      try decision.run(
        CreateTogether([
          .promise(try creation.command(id, isStrict: false)),
          .handler(handlerCreation.command(handler)),
        ]))
    case .follow(let promise, let ids):
      try decision.run(FollowOutcome(WalkNames.promise(promise), by: ids.map(WalkNames.promise)))
    case .settleJoints(let ids): try decision.run(SettleJoints(ids.map(WalkNames.promise)))
    case .releaseLeft(let ids): try decision.run(ReleaseLeftWork(ids.map(WalkNames.promise)))
    case .claim, .finish, .step, .suspend, .takeUp, .release, .cancel, .amend, .retry:
      return try decideAboutWork(in: &decision)
    default: return try decideAboutHandler(in: &decision)
    }
    return .done
  }
}

// MARK: - Work

extension WalkedCommand {
  private func decideAboutWork(in decision: inout Decision) throws(LedgerError) -> Oracle.Answer {
    switch command {
    case .claim(let ids):
      let claims = try decision.run(
        ClaimWork(ids.map(WalkNames.promise), runnableKinds: Self.runnableKinds))
      return .all(claims.map(\.answer))
    case .finish(let id, _, let result, let effects, let policy):
      return try finish(id, result, effects, policy, in: &decision)
    case .step(let id, _, let step, let result, let failures, let effects):
      return try finishStep(id, step, result, failures, effects, in: &decision)
    case .suspend(let id, _, let condition, let awaited, let failing):
      let failures = failing.map { [WorkReleased.StepFailures(Self.step($0), count: 1)] } ?? []
      let command = SuspendWork(
        id: WalkNames.promise(id), attempt: attempt, until: condition.model,
        awaited: awaited.map(WalkNames.promise), stepFailures: failures,
        error: failing.map(Oracle.error))
      switch try decision.run(command) {
      case .suspended(let attempt): return .suspended(Int(attempt))
      case .due(let attempt): return .due(Int(attempt))
      case .cancelRequested(let attempt): return .cancelRequested(Int(attempt))
      case .superseded: return .superseded
      }
    case .takeUp(let id, _):
      let command = TakeUpWork(id: WalkNames.promise(id), attempt: attempt)
      return try decision.run(command).map { .attempt(Int($0)) } ?? .superseded
    case .release(let id, _, let reason):
      return .flag(
        try decision.run(
          ReleaseWork(id: WalkNames.promise(id), attempt: attempt, reason: reason.model)))
    case .cancel(let id):
      switch try decision.run(CancelWork(id: WalkNames.promise(id), reason: "1")) {
      case .cancelled: return .cancelled
      case .requested: return .requested
      case .ended: return .ended
      case .notFound: return .notFound
      }
    case .amend(let id, let amendment):
      let amended = WorkAmended(
        parking: amendment.parking.model, trigger: amendment.trigger?.model,
        options: try amendment.options.map { (options) throws(LedgerError) in try options.model() })
      return try decision.run(AmendWork(id: WalkNames.promise(id), amended)).answer
    case .retry(let id): return try decision.run(RetryWork(id: WalkNames.promise(id))).answer
    default: return .refused(.other("\(command)"))
    }
  }

  static func step(_ step: Int) -> StepIdentity {
    step.isMultiple(of: 2)
      ? StepIdentity("step", .occurrence(UInt32(step))) : StepIdentity("step", .key("\(step)"))
  }

  private func finish(
    _ id: Int, _ result: Oracle.WorkResult, _ effects: [Oracle.Effect], _ policy: Oracle.Policy,
    in decision: inout Decision
  ) throws(LedgerError) -> Oracle.Answer {
    let given: FinishWork.Result =
      switch result {
      case .returned(let type, let value, let isLarge):
        .returned(
          typeTag: Oracle.typeTag(type), bytes: isLarge ? Oracle.largeBytes : Oracle.bytes(value))
      case .failed(let number, let isFinal): .failed(Oracle.error(number), isFinal: isFinal)
      case .cancelled(let number): .cancelled(Oracle.error(number))
      }
    let command = FinishWork(
      id: WalkNames.promise(id), attempt: attempt, result: given,
      effects: try Self.requested(effects), policy: try WalkNames.policy(policy))
    switch try decision.run(command) {
    case .settled(let settled): return .settled(settled.effects.map(\.walked))
    case .retrying(let time, _): return .retrying(at: time.nanoseconds)
    case .parked: return .parked
    case .superseded: return .superseded
    }
  }

  private func finishStep(
    _ id: Int, _ step: Int, _ result: Oracle.StepResult, _ failures: Int,
    _ effects: [Oracle.Effect], in decision: inout Decision
  ) throws(LedgerError) -> Oracle.Answer {
    let given: FinishStep.Result =
      switch result {
      case .returned: .returned(typeTag: "text", bytes: [1])
      case .failed: .failed(Oracle.error(1))
      case .cancelled: .cancelled
      }
    let command = FinishStep(
      id: WalkNames.promise(id), attempt: attempt, step: Self.step(step), result: given,
      failureCount: UInt32(failures), startedAt: .at(0), effects: try Self.requested(effects))
    switch try decision.run(command) {
    case .finished(let finished): return .attempt(Int(finished.attempt))
    case .refused: return .effectRefused
    case .limitReached(let error): return .refused(Oracle.Refusal(error))
    case .superseded: return .superseded
    }
  }
}

extension ClaimWork.Claim {
  fileprivate var answer: Oracle.Answer {
    switch self {
    case .started(let entity): .attempt(Int(entity.progress?.attempt ?? 0))
    case .notDue: .notDue
    case .excluded: .excluded
    case .running(let session): .by(WalkNames.number(session))
    case .laneFull: .laneFull
    case .suspect: .suspect
    case .parked: .parked
    case .ended: .ended
    case .unregistered: .unregistered
    case .refused(let error): .refused(Oracle.Refusal(error))
    }
  }
}

extension AmendWork.Answer {
  fileprivate var answer: Oracle.Answer {
    switch self {
    case .amended: .amended
    case .running(let session): .by(WalkNames.number(session))
    case .ended: .ended
    case .notFound: .notFound
    }
  }
}

extension Oracle.Parking {
  fileprivate var model: WorkAmended.Parking {
    switch self {
    case .unchanged: .unchanged
    case .parked: .parked
    case .resumed: .resumed
    }
  }
}

extension DecidedEffect {
  var walked: Oracle.Verdict { Oracle.Verdict(rawValue: Int(verdict.rawValue)) ?? .blocked }
}

// MARK: - Handlers

extension WalkedCommand {
  private func decideAboutHandler(
    in decision: inout Decision
  ) throws(LedgerError) -> Oracle.Answer {
    switch command {
    case .createHandler(let id, let creation):
      switch try decision.run(creation.command(id)) {
      case .created: return .created
      case .exists: return .exists
      }
    case .rebind(let id, let arguments, _):
      let command = RebindHandler(
        id: WalkNames.handler(id), mode: .replaced, arguments: arguments.arguments,
        expectedBinding: binding)
      switch try decision.run(command) {
      case .rebound: return .rebound
      case .changedMeanwhile: return .changed
      case .notFound: return .notFound
      case .finished: return .finished
      case .invalidated: return .invalidated
      }
    case .call(let id, let call, let references, _):
      let command = StartCall(
        id: WalkNames.handler(id), call: .numbered(call),
        arguments: Oracle.Binding(call, references).arguments, expectedBinding: binding,
        runnableKinds: Self.runnableKinds)
      return try decision.run(command).answer
    case .retryCall(let id, let call, _, let mayTakeOwn):
      let command = RetryCall(
        id: WalkNames.handler(id), call: .numbered(call), expectedAttempt: attempt,
        mayTakeOwn: mayTakeOwn)
      return try decision.run(command).answer
    case .releaseCall(let id, let call, _):
      let command = ReleaseCall(
        id: WalkNames.handler(id), call: .numbered(call), attempt: attempt, reason: .cancelled)
      switch try decision.run(command) {
      case .released: return .released
      case .superseded: return .superseded
      case .notFound: return .notFound
      }
    default: return try endHandlerCall(in: &decision)
    }
  }

  private func endHandlerCall(in decision: inout Decision) throws(LedgerError) -> Oracle.Answer {
    switch command {
    case .finishCall(let id, let call, _, let fails, let effects, let rejects):
      let command = FinishCall(
        id: WalkNames.handler(id), call: .numbered(call), attempt: attempt,
        result: fails ? .failed(Oracle.error(5)) : .void,
        effects: try Self.requested(effects), promiseToReject: rejects.map(WalkNames.promise))
      switch try decision.run(command) {
      case .finished(let finished): return .settled(finished.effects.map(\.walked))
      case .superseded: return .superseded
      case .requiredEffectRefused: return .effectRefused
      }
    case .invalidate(let id, let call, let runsCode, _):
      let command = InvalidateHandler(
        id: WalkNames.handler(id), call: .numbered(call), reason: "", arguments: .none,
        runsCode: runsCode, expectedBinding: binding)
      switch try decision.run(command) {
      case .invalidated: return .invalidated
      case .changedMeanwhile: return .changed
      case .alreadyInvalidated: return .alreadyInvalidated
      case .finished: return .finished
      case .notFound: return .notFound
      }
    default: return .refused(.other("\(command)"))
    }
  }
}

extension StartCall.Answer {
  fileprivate var answer: Oracle.Answer {
    switch self {
    case .started: .started
    case .changedMeanwhile: .changed
    case .notFound: .notFound
    case .alreadyRunning: .running
    case .finished: .finished
    case .invalidated: .invalidated
    case .unregistered: .unregistered
    }
  }
}

extension RetryCall.Answer {
  fileprivate var answer: Oracle.Answer {
    switch self {
    case .started: .started
    case .taken: .taken
    case .superseded: .superseded
    case .finished: .finished
    case .invalidated: .invalidated
    case .notFound: .notFound
    }
  }
}
