package import LedgerModel
import LedgerModelTestSupport
package import LedgerOracle

// The values of the oracle, as the library's commands take them.

extension Oracle.Outcome {
  init(_ kind: PromiseOutcomeKind) {
    switch kind {
    case .fulfilled: self = .fulfilled
    case .rejected: self = .rejected
    case .cancelled: self = .cancelled
    case .timedOut: self = .timedOut
    }
  }

  var kind: PromiseOutcomeKind {
    switch self {
    case .fulfilled: .fulfilled
    case .rejected: .rejected
    case .cancelled: .cancelled
    case .timedOut: .timedOut
    }
  }
}

extension Oracle {
  static func typeTag(_ type: Int) -> String { type == 0 ? "text" : "number" }

  static func bytes(_ number: Int) -> [UInt8] { Array(String(number).utf8) }

  static func error(_ number: Int) -> StoredError {
    StoredError(domain: "user", code: Int64(number), message: "")
  }

  static let largeBytes = [UInt8](repeating: 0x78, count: 5_000)
}

extension Oracle.Resolve {
  func command(_ id: Int) -> ResolvePromise {
    ResolvePromise(
      id: WalkNames.promise(id), outcome: outcome.kind, content: bytes,
      typeTag: type.map(Oracle.typeTag), idempotencyKey: key.map { "r\($0)" }, isStrict: isStrict,
      isForced: isForced)
  }

  private var bytes: [UInt8] {
    guard outcome == .rejected else { return isLarge ? Oracle.largeBytes : Oracle.bytes(value) }
    guard isLarge else { return Oracle.error(value).encoded }
    let message = String(decoding: Oracle.largeBytes, as: UTF8.self)
    return StoredError(domain: "user", code: 0, message: message).encoded
  }
}

extension Oracle.Creation {
  func command(_ id: Int, isStrict: Bool, adoptsAny: Bool = false) throws(LedgerError)
    -> CreatePromise
  {
    let source: PromiseCreated.Source
    switch self.source {
    case .outside: source = .outside
    case .work(let work): source = .work(try work.model())
    case .joint(let rule, let inputs):
      source = .joint(PromiseCreated.Joint(rule.model, of: inputs.map(WalkNames.promise)))
    }
    return CreatePromise(
      id: WalkNames.promise(id),
      creation: PromiseCreated(
        typeTag: Oracle.typeTag(type), key: WalkNames.key(id),
        deadline: deadline.map { .at(Int64($0)) }, deadlineEffect: isTimer ? .fulfils : .timesOut,
        idempotencyKey: key.map { "c\($0)" },
        lifetime: endsWhenSettled ? .untilSettled : .untilConsumed,
        parent: parent.map(WalkNames.promise), source: source),
      isStrict: isStrict, adoptsAny: adoptsAny)
  }
}

extension Oracle.Rule {
  var model: PromiseCreated.Joint.Rule {
    switch self {
    case .all: .all
    case .allSettled: .allSettled
    case .any: .any
    case .race: .race
    }
  }

  init?(_ rule: PromiseCreated.Joint.Rule) {
    guard let own = Self.allCases.first(where: { $0.model == rule }) else { return nil }
    self = own
  }
}

extension Oracle.Work {
  func model() throws(LedgerError) -> PromiseCreated.Work {
    PromiseCreated.Work(
      kind: "kind\(kind)", trigger: trigger.model, options: try options.model(),
      references: HandlerReferences(promises: Set(references.map(WalkNames.promise)), handlers: []))
  }
}

extension Oracle.Options {
  func model() throws(LedgerError) -> WorkOptions {
    var options = WorkOptions()
    if let lane { options.lane = try WorkLane("lane\(lane)", width: width) }
    if let policy { options.retryPolicy = try WalkNames.policy(policy) }
    options.attemptTimeout = timeout.map { .nanoseconds($0) }
    options.givesUpAfter = givesUpAfter.map { .at(Int64($0)) }
    return options
  }
}

extension Oracle.Settlement {
  var model: WorkTrigger.Settlement {
    switch self {
    case .fulfilled: .fulfilled
    case .failed: .failed
    case .any: .any
    }
  }
}

extension Oracle.Condition {
  var model: WorkCondition {
    WorkCondition(
      time: time.map { .at(Int64($0)) }, promises: promises.map(WalkNames.promise))
  }

  init(_ condition: WorkCondition) {
    self.init(
      time: condition.time?.nanoseconds,
      promises: condition.promises.map { WalkNames.number($0) }.sorted())
  }
}

extension Oracle.Trigger {
  var model: WorkTrigger {
    switch self {
    case .now: .now
    case .at(let time): .at(.at(Int64(time)))
    case .after(let id, let settlement): .after(WalkNames.promise(id), settlement.model)
    case .firstOf(let condition): .firstOf(condition.model)
    }
  }

  init(_ trigger: WorkTrigger) {
    switch trigger {
    case .now: self = .now
    case .at(let time): self = .at(time.nanoseconds)
    case .after(let id, let settlement):
      let own = Oracle.Settlement.allCases.first { $0.model == settlement } ?? .any
      self = .after(WalkNames.number(id), own)
    case .firstOf(let condition): self = .firstOf(Oracle.Condition(condition))
    }
  }
}

extension Oracle.ReleaseReason {
  var model: WorkReleased.Reason {
    switch self {
    case .died: .died
    case .frozen: .frozen
    case .closed: .closed
    case .cancelled: .cancelled
    case .notRunnable: .notRunnable
    case .waiting: .waiting
    case .retrying: .retrying
    case .parked: .parked
    }
  }
}

extension Oracle.Binding {
  var arguments: ArgumentSet {
    .of(
      .sample(["n": value]),
      HandlerReferences(promises: Set(promises.map(WalkNames.promise)), handlers: []))
  }
}

extension Oracle.HandlerCreation {
  func command(_ id: Int) -> CreateHandler {
    CreateHandler(
      id: WalkNames.handler(id),
      HandlerDescription(
        kind: "kind\(kind)", repetition: isRepeating ? .repeating : .oneShot,
        key: WalkNames.key(id), scopes: ["room"]),
      arguments: binding.arguments)
  }
}

extension Oracle.Effect {
  func model() throws(LedgerError) -> HandlerEffect {
    let action: HandlerEffect.Action
    switch self.action {
    case .create(let id, let creation):
      action = .createPromise(try creation.command(id, isStrict: false))
    case .resolve(let id, let resolve): action = .resolvePromise(resolve.command(id))
    case .createHandler(let id, let creation): action = .createHandler(creation.command(id))
    case .call(let id, let call):
      action = .callHandler(WalkNames.handler(id), .numbered(call), .none)
    case .invalidate(let id, let call):
      action = .invalidateHandler(
        WalkNames.handler(id), .numbered(call), reason: "", .none)
    }
    return HandlerEffect(action, isRequired: isRequired)
  }
}

extension Oracle.Role {
  package var model: SessionRole { self == .app ? .app : .appExtension }
}

extension Oracle.Refusal {
  package init(_ error: LedgerError) {
    switch error.code {
    case .sessionEnded: self = .sessionEnded
    case .notFound: self = .notFound
    case .recordRemoved: self = .recordRemoved
    case .invalidArgument: self = .invalidArgument
    case .typeMismatch: self = .typeMismatch
    case .promiseIsComputed: self = .promiseIsComputed
    case .roleMayNotConsume: self = .roleMayNotConsume
    case .conflict: self = .conflict
    case .superseded: self = .superseded
    default: self = .other("\(error)")
    }
  }
}
