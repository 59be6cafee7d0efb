package import LedgerModel
import LedgerTestSupport

extension RandomLedger {
  /// The work with a number, which has a key or not.
  package static func work(_ number: Int) -> PromiseID { promise(100 + number) }

  private mutating func workNumber() -> Int {
    Int.random(in: 1...max(2, entityCount / 2), using: &generator)
  }

  mutating func decideAboutWork(in decision: inout Decision) throws(LedgerError) {
    let number = workNumber()
    let id = Self.work(number)
    let attempt = try decision.promise(id)?.progress?.attempt ?? 0
    switch Int.random(in: 0..<24, using: &generator) {
    case 20..<24: try decideAboutJoint(in: &decision)
    case 16, 17: _ = try decision.run(finishStep(of: id, attempt))
    case 18, 19: _ = try decision.run(suspend(id, attempt))
    case 0..<5: _ = try decision.run(createWork(number))
    case 5..<8:
      let ids = (1...3).map { _ in Self.work(workNumber()) }
      _ = try decision.run(ClaimWork(Array(Set(ids)).sorted(), runnableKinds: ["cook", "serve"]))
    case 8..<11:
      _ = try decision.run(
        FinishWork(
          id: id, attempt: attempt, result: result(),
          effects: effects(),
          policy: generator.chance(1, of: 2) ? .standard : try policy()))
    case 11:
      _ = try decision.run(ReleaseWork(id: id, attempt: attempt, reason: .cancelled))
    case 12: _ = try decision.run(CancelWork(id: id, reason: generator.text(5)))
    case 13: _ = try decision.run(AmendWork(id: id, amendment()))
    case 14: _ = try decision.run(FollowOutcome(promise(), by: [id]))
    default: try end(id, in: &decision)
    }
  }

  /// The joint with a number, which has a key or not.
  private static func joint(_ number: Int) -> PromiseID { promise(200 + number) }

  private mutating func decideAboutJoint(in decision: inout Decision) throws(LedgerError) {
    let number = workNumber()
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: _ = try decision.run(CancelWork(id: Self.joint(number), reason: generator.text(5)))
    case 1: _ = try decision.run(LookAtPromise(id: Self.joint(number)))
    case 2: _ = try decision.run(SettleJoints([Self.joint(number), Self.joint(workNumber())]))
    case 3: try end(Self.joint(number), in: &decision)
    default: _ = try decision.run(createJoint(number))
    }
  }

  private mutating func createJoint(_ number: Int) -> CreatePromise {
    let inputs = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: Self.work(workNumber())
      case 1: Self.joint(workNumber())
      default: promise()
      }
    }
    let delay = Int64.random(in: 0...4_000, using: &generator)
    let rule = PromiseCreated.Joint.Rule.allCases.randomElement(using: &generator) ?? .all
    return CreatePromise(
      id: Self.joint(number),
      creation: PromiseCreated(
        typeTag: "text", key: Self.key(200 + number),
        deadline: generator.chance(1, of: 4) ? ledger.context.now + .nanoseconds(delay) : nil,
        lifetime: generator.chance(1, of: 2) ? .untilSettled : .untilConsumed,
        parent: generator.chance(1, of: 4) ? Self.work(workNumber()) : nil,
        source: .joint(PromiseCreated.Joint(rule, of: inputs))),
      isStrict: false)
  }

  /// Ends work in a way that is not its own.
  private mutating func end(
    _ id: PromiseID, in decision: inout Decision
  ) throws(LedgerError) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      _ = try decision.run(
        ResolvePromise(
          id: id, outcome: .rejected, content: generator.bytes(9), typeTag: nil,
          idempotencyKey: nil, isStrict: true, isForced: true))
    case 1: _ = try decision.run(resolve(id))
    case 2: _ = try decision.run(AbandonPromise(id: id, reason: generator.text(5)))
    default: _ = try decision.run(ConsumePromise(id: id, delivery: .recordedAfter))
    }
  }

  // MARK: Parts

  private mutating func step() -> StepIdentity {
    let number = UInt32.random(in: 1...4, using: &generator)
    return StepIdentity("step", generator.chance(1, of: 2) ? .occurrence(number) : .key("k"))
  }

  private mutating func finishStep(of id: PromiseID, _ attempt: UInt32) -> FinishStep {
    let size = generator.chance(1, of: 4) ? 6_000 : 10
    let error = StoredError(domain: "kitchen", message: generator.text(30))
    let results: [FinishStep.Result] = [
      .returned(typeTag: "text", bytes: generator.bytes(size)), .failed(error), .cancelled,
    ]
    return FinishStep(
      id: id, attempt: attempt, step: step(),
      result: results.randomElement(using: &generator) ?? .cancelled,
      failureCount: .random(in: 0...2, using: &generator), startedAt: ledger.context.now,
      effects: effects())
  }

  private mutating func effects() -> RequestedEffects {
    guard generator.chance(1, of: 2) else { return .none }
    return RequestedEffects([HandlerEffect(.resolvePromise(resolve(promise())))])
  }

  private mutating func suspend(_ id: PromiseID, _ attempt: UInt32) -> SuspendWork {
    let delay = Int64.random(in: 0...2_000, using: &generator)
    let time = ledger.context.now + .nanoseconds(delay)
    let promises = (0..<Int.random(in: 0...3, using: &generator)).map { _ in promise() }
    let failing = generator.chance(1, of: 3)
    return SuspendWork(
      id: id, attempt: attempt,
      until: WorkCondition(
        time: promises.isEmpty || generator.chance(1, of: 2) ? time : nil, promises: promises),
      stepFailures: failing ? [WorkReleased.StepFailures(step(), count: 1)] : [],
      error: failing ? StoredError(domain: "kitchen", message: generator.text(9)) : nil)
  }

  private mutating func createWork(_ number: Int) throws(LedgerError) -> CreatePromise {
    let arguments = arguments()
    let delay = Int64.random(in: 0...4_000, using: &generator)
    return CreatePromise(
      id: Self.work(number),
      creation: PromiseCreated(
        typeTag: "text", key: Self.key(100 + number),
        deadline: generator.chance(1, of: 4) ? ledger.context.now + .nanoseconds(delay) : nil,
        lifetime: generator.chance(1, of: 2) ? .untilSettled : .untilConsumed,
        parent: generator.chance(1, of: 4) ? Self.work(workNumber()) : nil,
        source: .work(
          PromiseCreated.Work(
            kind: generator.chance(1, of: 2) ? "cook" : "serve", trigger: trigger(),
            options: try options(), references: arguments.references,
            arguments: arguments.arguments))),
      isStrict: false)
  }

  private mutating func trigger() -> WorkTrigger {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      let delay = Int64.random(in: -500...2_000, using: &generator)
      return .at(ledger.context.now + .nanoseconds(delay))
    case 1: return .after(promise(), settlement())
    case 2:
      let number = workNumber()
      let awaited = generator.chance(1, of: 3) ? Self.joint(number) : Self.work(number)
      return .after(awaited, settlement())
    default: return .now
    }
  }

  private mutating func settlement() -> WorkTrigger.Settlement {
    WorkTrigger.Settlement.allCases.randomElement(using: &generator) ?? .any
  }

  private mutating func options() throws(LedgerError) -> WorkOptions {
    let width = Int.random(in: 1...2, using: &generator)
    let lane = generator.chance(1, of: 2) ? try WorkLane("lane", width: width) : nil
    let end = Int64.random(in: 0...9_000, using: &generator)
    return WorkOptions(
      priority: Int8.random(in: -2...2, using: &generator), lane: lane,
      retryPolicy: generator.chance(1, of: 4) ? try policy() : nil,
      attemptTimeout: generator.chance(1, of: 4) ? .nanoseconds(200) : nil,
      givesUpAfter: generator.chance(1, of: 6) ? ledger.context.now + .nanoseconds(end) : nil)
  }

  private mutating func policy() throws(LedgerError) -> WorkRetryPolicy {
    try WorkRetryPolicy(
      failureLimit: 2, firstDelay: .nanoseconds(100), longestDelay: .nanoseconds(200),
      givingUp: generator.chance(1, of: 2) ? .reject : .park)
  }

  private mutating func result() -> FinishWork.Result {
    if generator.chance(1, of: 3) {
      let error = StoredError(domain: "kitchen", message: generator.text(30))
      return .failed(error, isFinal: generator.chance(1, of: 3))
    }
    let size = generator.chance(1, of: 4) ? 6_000 : 10
    let typeTag = generator.chance(1, of: 6) ? "other" : "text"
    return .returned(typeTag: typeTag, bytes: generator.bytes(size))
  }

  private mutating func amendment() throws(LedgerError) -> WorkAmended {
    WorkAmended(
      parking: WorkAmended.Parking.allCases.randomElement(using: &generator) ?? .unchanged,
      trigger: generator.chance(1, of: 2) ? trigger() : nil,
      options: generator.chance(1, of: 3) ? try options() : nil,
      arguments: generator.chance(1, of: 3) ? arguments() : nil)
  }
}
