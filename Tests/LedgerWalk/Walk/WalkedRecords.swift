package import LedgerModel
package import LedgerOracle

// The records of the library in the terms of the oracle.

extension Oracle.Promise {
  package init(_ entity: PromiseEntity) throws(LedgerError) {
    self.init(
      created: Int(entity.created.position.rawValue),
      creator: WalkNames.number(entity.created.session),
      try Oracle.Creation(entity.creation()))
    if let fact = entity.resolution?.fact, let resolved = try entity.resolved() {
      resolution = try Oracle.Resolution(resolved, at: fact, ofJoint: entity.isJoint)
    }
    switch entity.closing {
    case .consumed(let fact, _):
      closing = .consumed(Int(fact.position.rawValue), by: WalkNames.number(fact.session))
    case .abandoned(let fact, _): closing = .abandoned(Int(fact.position.rawValue))
    case nil: break
    }
    if let progress = entity.progress, progress.lastPosition > entity.created.position {
      self.progress = try Oracle.Progress(progress)
    }
  }
}

extension Oracle.Creation {
  fileprivate init(_ creation: PromiseCreated) throws(LedgerError) {
    self.init()
    type = creation.typeTag == Oracle.typeTag(0) ? 0 : 1
    key = creation.idempotencyKey.flatMap { Int($0.dropFirst()) }
    deadline = creation.deadline?.nanoseconds
    isTimer = creation.deadlineEffect == .fulfils
    endsWhenSettled = creation.lifetime == .untilSettled
    parent = creation.parent.map { WalkNames.number($0) }
    if let work = creation.work {
      source = .work(try Oracle.Work(work))
    } else if let joint = creation.joint, let rule = Oracle.Rule(joint.rule) {
      source = .joint(rule, joint.inputs.map { WalkNames.number($0) })
    }
  }
}

extension Oracle.Work {
  fileprivate init(_ work: PromiseCreated.Work) throws(LedgerError) {
    self.init(kind: Int(work.kind.dropFirst(4)) ?? -1, Oracle.Trigger(work.trigger))
    options = Oracle.Options(work.options)
    references = work.references.promises.map { WalkNames.number($0) }.sorted()
  }
}

extension Oracle.Options {
  fileprivate init(_ options: WorkOptions) {
    self.init()
    lane = options.lane.flatMap { Int($0.name.dropFirst(4)) }
    width = options.lane?.width ?? 1
    policy = options.retryPolicy.map {
      Oracle.Policy(failureLimit: $0.failureLimit ?? 0, parks: $0.givingUp == .park)
    }
    timeout = options.attemptTimeout.map { Int($0 / .nanoseconds(1)) }
    givesUpAfter = options.givesUpAfter?.nanoseconds
  }
}

extension Oracle.Resolution {
  fileprivate init(
    _ resolved: PromiseResolved, at fact: LedgerEvent.Trace, ofJoint: Bool
  ) throws(LedgerError) {
    var (content, verdicts) = (Oracle.Content.large, [Oracle.Verdict]())
    if var bytes = resolved.content {
      if resolved.attempt != nil {
        let outcome = try PromiseResolved.outcome(ofAttempt: bytes)
        (bytes, verdicts) = (outcome.value, outcome.effects.map(\.walked))
      }
      content = try Oracle.Content(bytes, resolved.outcome, ofJoint: ofJoint)
    }
    self.init(
      Int(fact.position.rawValue), Oracle.Outcome(resolved.outcome),
      at: resolved.resolvedAt.nanoseconds, content)
    key = resolved.idempotencyKey.flatMap { Int($0.dropFirst()) }
    attempt = resolved.attempt.map(Int.init)
    self.verdicts = verdicts
  }
}

extension Oracle.Content {
  fileprivate init(
    _ bytes: [UInt8], _ outcome: PromiseOutcomeKind, ofJoint: Bool
  ) throws(LedgerError) {
    func number() -> Int { Int(String(decoding: bytes, as: UTF8.self)) ?? -1 }
    switch outcome {
    case .fulfilled where ofJoint:
      self = .joint(try PromiseResolved.input(inJointContent: bytes).map { WalkNames.number($0) })
    case .fulfilled: self = bytes.isEmpty ? .none : .value(number())
    case .rejected:
      let error = try StoredError(decoding: bytes)
      let domain: Oracle.Domain =
        switch error.domain {
        case "PromiseLedger.work": .work
        case "PromiseLedger.requiredEffectRefused": .effect
        default: .user
        }
      self = .error(domain, Int(error.code ?? -1))
    case .cancelled: self = .reason(number())
    case .timedOut: self = .none
    }
  }
}

extension Oracle.Progress {
  fileprivate init(_ progress: WorkProgress) throws(LedgerError) {
    self.init()
    lastPosition = Int(progress.lastPosition.rawValue)
    attempt = Int(progress.attempt)
    start = progress.start.map {
      Oracle.Start(
        Int($0.position.rawValue), WalkNames.number($0.session), $0.time.nanoseconds)
    }
    release = progress.release.map { release in
      let reason = Oracle.ReleaseReason.allCases.first { $0.model == release.event.reason }
      var own = Oracle.Release(Int(release.fact.position.rawValue), reason ?? .died)
      own.retryTime = release.event.retryTime?.nanoseconds
      own.condition = release.event.condition.map(Oracle.Condition.init)
      own.failing = release.event.stepFailures.first?.step.walked
      return own
    }
    (failures, deaths) = (Int(progress.failureCount), Int(progress.deathCount))
    cancelRequest = progress.cancelRequest.map {
      Oracle.CancelRequest(Int($0.fact.position.rawValue), Int($0.reason) ?? -1)
    }
    hasWaited = progress.hasWaited
    parking = progress.parking.map { Int($0.position.rawValue) }
    trigger = progress.trigger.map { Oracle.Trigger($0) }
    options = progress.options.map { Oracle.Options($0) }
    awaited = progress.awaited.map { WalkNames.number($0) }
    for step in progress.steps { steps.append(try Oracle.Step(step)) }
    stepFailures = progress.stepFailures.map {
      Oracle.StepFailures($0.step.walked, Int($0.count))
    }
  }
}

extension Oracle.Step {
  fileprivate init(_ step: WorkStep) throws(LedgerError) {
    let finished = try step.finished()
    let result: Oracle.StepResult =
      switch finished.outcome {
      case .value: .returned
      case .failure: .failed
      case .cancelled: .cancelled
      }
    let effects = try finished.content.map { (content) throws(LedgerError) in
      try PromiseResolved.outcome(ofAttempt: content).effects
    }
    self.init(
      step.identity.walked, Int(step.fact.position.rawValue), Int(finished.attempt), result,
      failures: Int(finished.failureCount), (effects ?? []).map(\.walked))
  }
}

extension StepIdentity {
  fileprivate var walked: Int {
    switch distinction {
    case .occurrence(let number): Int(number)
    case .key(let key): Int(key) ?? -1
    }
  }
}

extension Oracle.Handler {
  package init(_ entity: HandlerEntity) {
    let binding = Oracle.Binding(entity.bound)
    self.init(
      created: Int(entity.created.position.rawValue),
      creator: WalkNames.number(entity.created.session),
      Oracle.HandlerCreation(
        isRepeating: entity.isRepeating, kind: Int(entity.kind.dropFirst(4)) ?? -1, binding))
    bound = Int(entity.bound.position.rawValue)
    isSpent = entity.status == .finished
    invalidation = entity.invalidation.map {
      Oracle.Invalidation(Int($0.fact.position.rawValue), cause: Int($0.cause.rawValue))
    }
    calls = Dictionary(
      uniqueKeysWithValues: entity.openCalls.map {
        (WalkNames.call($0), Oracle.Call($1))
      })
    lastEnd = entity.lastFinish.map { finish in
      var verdicts: [Oracle.Verdict] = []
      if case .inline(let report) = finish.report { verdicts = report.effects.map(\.walked) }
      return Oracle.CallEnd(
        Int(finish.fact.position.rawValue), WalkNames.call(finish.call),
        attempt: Int(finish.attempt), failed: finish.outcome == .failed, verdicts)
    }
    lastPosition = Int(entity.lastPosition.rawValue)
  }
}

extension Oracle.Binding {
  fileprivate init(_ bound: BoundArguments) {
    var value = -1
    if case .inline(let arguments) = bound.arguments, let bytes = arguments["n"]?.payload {
      value = Int(String(decoding: bytes, as: UTF8.self)) ?? -1
    }
    self.init(value, bound.references.promises.map { WalkNames.number($0) }.sorted())
  }
}

extension Oracle.Call {
  fileprivate init(_ call: OpenCall) {
    self.init(
      isCleanup: call.purpose == .invalidation, attempt: Int(call.attempt),
      first: Int(call.firstStart.position.rawValue),
      newest: Int(call.newestStart.position.rawValue),
      runner: call.runningSession.map { WalkNames.number($0) },
      bound: Int(call.bound.position.rawValue),
      promises: (call.references.promises + call.bound.references.promises).map {
        WalkNames.number($0)
      })
  }
}

extension Oracle.Session {
  package init(_ entity: SessionEntity) {
    self.init(
      entity.opened.role == .app ? .app : .other, lastPosition: Int(entity.lastPosition.rawValue))
    switch entity.status {
    case .open: status = .open
    case .frozen: status = .frozen
    case .ended(.died): status = .died
    default: status = .closed
    }
  }
}

extension Oracle.Fact {
  package init(_ kind: EventKind, _ subject: EntityID) {
    self.init(Self.kinds[kind] ?? .ledgerCreated, WalkNames.number(subject))
  }

  private static let kinds: [EventKind: Kind] = [
    .ledgerCreated: .ledgerCreated, .sessionOpened: .sessionOpened,
    .sessionFrozen: .sessionFrozen, .sessionUnfrozen: .sessionUnfrozen,
    .sessionClosed: .sessionClosed, .promiseCreated: .promiseCreated,
    .promiseResolved: .promiseResolved, .promiseConsumed: .promiseConsumed,
    .promiseAbandoned: .promiseAbandoned, .workStarted: .workStarted,
    .workReleased: .workReleased, .workStepFinished: .workStepFinished,
    .workCancelRequested: .workCancelRequested, .workAmended: .workAmended,
    .handlerCreated: .handlerCreated, .handlerRebound: .handlerRebound,
    .handlerCallStarted: .handlerCallStarted, .handlerCallReleased: .handlerCallReleased,
    .handlerCallFinished: .handlerCallFinished, .handlerInvalidated: .handlerInvalidated,
    .handlerInvalidationFinished: .handlerInvalidationFinished,
    .retentionApplied: .retentionApplied,
  ]
}
