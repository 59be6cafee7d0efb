/// A request of a handler's code to the ledger, to be carried out when the call finishes.
package struct HandlerEffect: Sendable {
  package enum Action: Sendable {
    case resolvePromise(ResolvePromise)
    case createPromise(CreatePromise)
    case createHandler(CreateHandler)
    case callHandler(HandlerID, CallID, ArgumentSet)
    case invalidateHandler(HandlerID, CallID, reason: String, ArgumentSet)
  }

  package let action: Action
  /// Whether the call fails, with all its effects, if this effect is refused.
  package let isRequired: Bool
  /// The problem with the arguments of a call or an invalidation, if there is one.
  package var unfit: UnfitArguments?

  /// The maximum number of effects of a call, or of an attempt of work: a commit must not keep other commits
  /// waiting for long.
  package static let maximumCount = 1_000

  package init(_ action: Action, isRequired: Bool = false) {
    self.action = action
    self.isRequired = isRequired
  }

  package var kind: DecidedEffect.Kind {
    switch action {
    case .resolvePromise(let command):
      switch command.outcome {
      case .fulfilled: .fulfillPromise
      case .rejected: .rejectPromise
      case .cancelled, .timedOut: .cancelPromise
      }
    case .createPromise: .createPromise
    case .createHandler: .createHandler
    case .callHandler: .callHandler
    case .invalidateHandler: .invalidateHandler
    }
  }

  /// The promise or handler that the effect concerns.
  package var subject: EntityID {
    switch action {
    case .resolvePromise(let command): command.id.entityID
    case .createPromise(let command): command.id.entityID
    case .createHandler(let command): command.id.entityID
    case .callHandler(let id, _, _): id.entityID
    case .invalidateHandler(let id, _, _, _): id.entityID
    }
  }
}

extension DecidedEffect {
  /// The error of code that required the effect, which was refused.
  ///
  /// - Parameter unfit: The problem with the arguments of a call or an invalidation, if there is one.
  func refusal(_ unfit: LedgerError?) -> StoredError {
    let why = verdict == .typeMismatch ? unfit.map { " \($0.message)" } : nil
    return StoredError(
      domain: "PromiseLedger.requiredEffectRefused", code: Int64(verdict.rawValue),
      message:
        "The effect \(effect) on \(subject), which the call required, was refused: \(verdict).\(why ?? "")"
    )
  }
}

/// The reason why a handler's code cannot run with the arguments of an effect and the bound arguments.
package struct UnfitArguments: Sendable {
  /// The position of the binding; `nil` for a handler that an effect of the same call creates.
  let binding: Position?
  package let error: LedgerError

  package init(binding: Position?, error: LedgerError) {
    self.binding = binding
    self.error = error
  }
}

/// Decides effects one after the other, and collects the calls that follow from them.
struct EffectDecider {
  private let requested: RequestedEffects
  /// The start of the call that the effects belong to.
  private let cause: Position
  private(set) var verdicts: [DecidedEffect] = []
  /// The calls for this session to run next.
  private(set) var startedCalls: [StartedCall] = []
  /// The runs of invalidation code for this session to run next.
  private(set) var startedInvalidations: [StartedCall] = []

  init(_ requested: RequestedEffects, cause: Position) {
    self.requested = requested
    self.cause = cause
  }

  /// - Throws: An error that is not a refusal of this one effect, such as a full ledger.
  mutating func decide(
    _ effect: HandlerEffect, in decision: inout Decision
  ) throws(LedgerError) -> DecidedEffect {
    let verdict: DecidedEffect.Verdict
    do throws(LedgerError) {
      verdict = try carryOut(effect, in: &decision)
    } catch {
      switch error.code {
      case .typeMismatch: verdict = .typeMismatch
      case .unsupportedEvent, .corrupt, .promiseIsComputed: verdict = .blocked
      case .recordRemoved: verdict = effect.kind.isCreation ? .exists : .notFound
      default: throw error
      }
    }
    let decided = DecidedEffect(effect.kind, verdict, on: effect.subject)
    verdicts.append(decided)
    return decided
  }

  /// Decides all effects. If one that the code requires is refused, all are dropped.
  ///
  /// - Returns: The required effect that was refused, with the error of the code.
  mutating func decideAll(
    in decision: inout Decision
  ) throws(LedgerError) -> (effect: DecidedEffect, error: StoredError)? {
    let mark = decision.mark
    for effect in requested.effects {
      let decided = try decide(effect, in: &decision)
      guard effect.isRequired, !decided.verdict.isSuccess else { continue }
      try decision.rollBack(to: mark)
      return (decided, decided.refusal(effect.unfit?.error))
    }
    return nil
  }

  private mutating func carryOut(
    _ effect: HandlerEffect, in decision: inout Decision
  ) throws(LedgerError) -> DecidedEffect.Verdict {
    switch effect.action {
    case .resolvePromise(var command):
      command.cause = cause
      return try decision.run(command).verdict
    case .createPromise(var command):
      command.cause = cause
      return try decision.run(command).verdict
    case .createHandler(var command):
      guard requested.runnableKinds.contains(command.description.kind) else { return .unregistered }
      command.cause = cause
      return try decision.run(command).verdict
    case .callHandler(let id, let call, let arguments):
      if let entity = try decision.handler(id), entity.hinderingCall == nil,
        refuses(effect, entity)
      {
        return .typeMismatch
      }
      return try start(
        StartCall(
          id: id, call: call, arguments: arguments, expectedBinding: nil,
          runnableKinds: requested.runnableKinds, cause: cause), in: &decision)
    case .invalidateHandler(let id, let call, let reason, let arguments):
      let entity = try decision.handler(id)
      if let entity, refuses(effect, entity) { return .typeMismatch }
      let runsCode = entity.map { requested.kindsWithInvalidationCode.contains($0.kind) } ?? false
      return try invalidate(
        InvalidateHandler(
          id: id, call: call, reason: reason, arguments: arguments, runsCode: runsCode,
          cause: cause),
        in: &decision)
    }
  }

  /// Whether the arguments of an effect do not fit the code of the handler: a call that began with them could
  /// never run.
  private func refuses(_ effect: HandlerEffect, _ entity: HandlerEntity) -> Bool {
    guard let unfit = effect.unfit, entity.status == .active else { return false }
    if let binding = unfit.binding { return binding == entity.bound.position }
    return verdicts.contains(DecidedEffect(.createHandler, .done, on: entity.id.entityID))
  }

  private mutating func start(
    _ command: StartCall, in decision: inout Decision
  ) throws(LedgerError) -> DecidedEffect.Verdict {
    switch try decision.run(command) {
    case .started(let started):
      startedCalls.append(started)
      return .done
    case .alreadyRunning: return .alreadyRunning
    case .finished: return .finished
    case .invalidated: return .invalidated
    case .unregistered: return .unregistered
    case .notFound: return .notFound
    case .changedMeanwhile:
      throw LedgerError(
        .internalInconsistency, "A call without an expected binding found another binding.")
    }
  }

  private mutating func invalidate(
    _ command: InvalidateHandler, in decision: inout Decision
  ) throws(LedgerError) -> DecidedEffect.Verdict {
    switch try decision.run(command) {
    case .invalidated(let entity, let call):
      if let call { startedInvalidations.append(StartedCall(entity: entity, call: call)) }
      return .done
    case .alreadyInvalidated: return .invalidated
    case .finished: return .finished
    case .notFound: return .notFound
    case .changedMeanwhile:
      throw LedgerError(
        .internalInconsistency, "An invalidation without an expected binding found another binding."
      )
    }
  }
}

extension ResolvePromise.Answer {
  fileprivate var verdict: DecidedEffect.Verdict {
    switch self {
    case .resolved: .done
    case .deduplicated: .deduplicated
    case .alreadyResolved: .alreadyResolved
    case .abandoned: .abandoned
    case .notFound: .notFound
    }
  }
}

extension CreatePromise.Answer {
  fileprivate var verdict: DecidedEffect.Verdict {
    switch self {
    case .created: .done
    case .deduplicated: .deduplicated
    case .conflict: .exists
    }
  }
}

extension CreateHandler.Answer {
  fileprivate var verdict: DecidedEffect.Verdict {
    switch self {
    case .created: .done
    case .exists: .exists
    }
  }
}
