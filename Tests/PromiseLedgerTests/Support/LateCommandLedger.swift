import LedgerModelTestSupport

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Promises and handlers in every state, and every command on each of them.
struct LateCommandLedger {
  struct Subject {
    let name: String
    let isKeyed: Bool
    let isClosed: Bool
    let isHandler: Bool
    let id: EntityID
  }

  struct Request {
    let subject: Subject
    let command: String
    var name: String { "\(command) of a \(subject.name)" }

    /// A subject with a key is answered as removed; for one without a key, there is no trace that
    /// it existed. The end of a call that is not the newest attempt of any counts as superseded.
    var answerOnceGone: String {
      if subject.isKeyed { return "error recordRemoved" }
      return command.hasPrefix("finish") ? "superseded, 0 events" : "notFound, 0 events"
    }
  }

  private(set) var requests: [Request] = []
  private var run: [String: (inout Decision) throws(LedgerError) -> Any] = [:]
  private var subjects: [Subject] = []
  private static let call = CallID.numbered(500)

  init(_ store: CompactedStore) throws {
    for isKeyed in [false, true] {
      for status in PromiseStatus.allCases {
        try make(status, isKeyed: isKeyed, in: store)
      }
      for status in HandlerStatus.allCases { try make(status, isKeyed: isKeyed, in: store) }
    }
    for subject in subjects {
      if subject.isHandler { addHandlerCommands(subject) } else { addPromiseCommands(subject) }
    }
  }

  /// The answers of each command on a state, with the events that it would write.
  func answers(of state: LedgerState) throws -> [String: String] {
    var answers: [String: String] = [:]
    for request in requests {
      guard let run = run[request.name] else { continue }
      // Long after everything, so that the time of a removal makes no difference.
      let context = DecisionContext(
        session: .numbered(1), role: .app, now: .at(1_000_000_000_000))
      var decision = Decision(over: state, context: context)
      do throws(LedgerError) {
        let answer = Self.describe(try run(&decision))
        let events = decision.batch
        answers[request.name] =
          "\(answer), \(events.count) events\(events.isEmpty ? "" : " \(Array(events.bytes))")"
      } catch {
        answers[request.name] = "error \(error.code)"
      }
    }
    return answers
  }

  /// An answer with everything in it, entities in their one encoding.
  private static func describe(_ value: Any) -> String {
    switch value {
    case let entity as PromiseEntity: return "\(LedgerEntity.promise(entity).content)"
    case let entity as HandlerEntity: return "\(LedgerEntity.handler(entity).content)"
    case let call as StartedCall:
      return "\(call.call.id) \(call.call.attempt) of \(describe(call.entity))"
    default:
      let mirror = Mirror(reflecting: value)
      guard !mirror.children.isEmpty else { return "\(value)" }
      let children = mirror.children.map { "\($0.label ?? "")(\(describe($0.value)))" }
      return children.joined(separator: " ")
    }
  }

  private mutating func add(
    _ subject: Subject, _ command: String,
    _ body: @escaping (inout Decision) throws(LedgerError) -> Any
  ) {
    let request = Request(subject: subject, command: command)
    requests.append(request)
    run[request.name] = body
  }

  // MARK: Promises

  private enum PromiseStatus: String, CaseIterable {
    case pending, fulfilled, large, rejected, timedOut, consumed, abandoned, abandonedLate

    var isClosed: Bool {
      switch self {
      case .consumed, .abandoned, .abandonedLate: true
      default: false
      }
    }
  }

  private mutating func make(
    _ status: PromiseStatus, isKeyed: Bool, in store: CompactedStore
  ) throws {
    let key = isKeyed ? "key \(subjects.count)" : nil
    let id =
      try key.map { try PromiseKey($0).promiseID } ?? PromiseID.numbered(200 + subjects.count)
    let now = store.state.time
    try store.commit(
      CreatePromise(
        id: id,
        creation: PromiseCreated(
          typeTag: "text", key: key,
          deadline: status == .timedOut ? now : nil, idempotencyKey: "a"),
        isStrict: false))
    switch status {
    case .pending: break
    case .timedOut: try store.commit(TimeOutDuePromises())
    case .abandoned: try store.commit(AbandonPromise(id: id, reason: ""))
    case .rejected: try store.commit(ResolvePromise(id, .rejected))
    case .large: try store.commit(ResolvePromise(id, content: [UInt8](repeating: 1, count: 9_000)))
    case .fulfilled, .consumed, .abandonedLate:
      try store.commit(ResolvePromise(id, idempotencyKey: "r"))
    }
    if status == .consumed {
      try store.commit(ConsumePromise(id: id, delivery: .recordedBefore))
    }
    if status == .abandonedLate { try store.commit(AbandonPromise(id: id, reason: "")) }
    subjects.append(
      Subject(
        name: "\(isKeyed ? "keyed" : "random") \(status) promise", isKeyed: isKeyed,
        isClosed: status.isClosed, isHandler: false, id: id.entityID))
  }

  private mutating func addPromiseCommands(_ subject: Subject) {
    let id = PromiseID(entityID: subject.id)
    // A random id is made once, so no request can create it again.
    if subject.isKeyed {
      for (isStrict, adopts, key) in [
        (false, false, "a"), (true, false, "a"), (false, false, "b"), (false, true, nil),
      ] as [(Bool, Bool, String?)] {
        add(subject, "creation \(isStrict) \(adopts) \(key ?? "without a key")") {
          (decision) throws(LedgerError) in
          try decision.run(
            CreatePromise(
              id: id, creation: PromiseCreated(typeTag: "text", idempotencyKey: key),
              isStrict: isStrict, adoptsAny: adopts))
        }
      }
    }
    for outcome in [PromiseOutcomeKind.fulfilled, .rejected, .cancelled] {
      for (isStrict, key) in [(true, nil), (true, "r"), (false, "r"), (false, "s")]
        as [(Bool, String?)]
      {
        add(subject, "resolution \(outcome) \(isStrict) \(key ?? "without a key")") {
          (decision) throws(LedgerError) in
          try decision.run(ResolvePromise(id, outcome, idempotencyKey: key, isStrict: isStrict))
        }
      }
    }
    for delivery in [PromiseConsumed.Delivery.recordedBefore, .recordedAfter] {
      add(subject, "consumption \(delivery)") { (decision) throws(LedgerError) in
        try decision.run(ConsumePromise(id: id, delivery: delivery))
      }
    }
    add(subject, "abandonment") { (decision) throws(LedgerError) in
      try decision.run(AbandonPromise(id: id, reason: "late"))
    }
  }

  // MARK: Handlers

  private enum HandlerStatus: String, CaseIterable {
    case oneShot, repeating, running, released, finished, invalidated

    var isClosed: Bool { self == .finished || self == .invalidated }
  }

  private mutating func make(
    _ status: HandlerStatus, isKeyed: Bool, in store: CompactedStore
  ) throws {
    let key = isKeyed ? "key \(subjects.count)" : nil
    let id =
      try key.map { try HandlerKey($0).handlerID } ?? HandlerID.numbered(200 + subjects.count)
    try store.commit(
      CreateHandler(
        id: id,
        .init(
          kind: "greet", repetition: status == .repeating ? .repeating : .oneShot,
          key: key, scopes: ["room"]),
        arguments: .bytes(status == .running ? 6_000 : 9)))
    switch status {
    case .oneShot, .repeating: break
    case .running: try store.commit(StartCall(id, Self.call))
    case .released:
      try store.commit(StartCall(id, Self.call))
      try store.commit(ReleaseCall(id: id, call: Self.call, attempt: 1, reason: .cancelled))
    case .finished:
      try store.commit(StartCall(id, Self.call))
      try store.commit(FinishCall(id, Self.call))
    case .invalidated: try store.commit(InvalidateHandler(id, .numbered(501), runsCode: false))
    }
    subjects.append(
      Subject(
        name: "\(isKeyed ? "keyed" : "random") \(status) handler", isKeyed: isKeyed,
        isClosed: status.isClosed, isHandler: true, id: id.entityID))
  }

  private mutating func addHandlerCommands(_ subject: Subject) {
    let id = HandlerID(entityID: subject.id)
    if subject.isKeyed {
      add(subject, "creation") { (decision) throws(LedgerError) in
        try decision.run(CreateHandler(id))
      }
    }
    add(subject, "rebinding") { (decision) throws(LedgerError) in
      try decision.run(
        RebindHandler(
          id: id, mode: .replaced, arguments: .sample(["a": 1]), expectedBinding: nil))
    }
    for call in [Self.call, .numbered(502)] {
      add(subject, "call \(call)") { (decision) throws(LedgerError) in
        try decision.run(StartCall(id, call))
      }
      add(subject, "release of \(call)") { (decision) throws(LedgerError) in
        try decision.run(ReleaseCall(id: id, call: call, attempt: 1, reason: .cancelled))
      }
      add(subject, "retry of \(call)") { (decision) throws(LedgerError) in
        try decision.run(RetryCall(id: id, call: call, expectedAttempt: 1))
      }
      add(subject, "finish of \(call)") { (decision) throws(LedgerError) in
        try decision.run(FinishCall(id, call))
      }
    }
    for runsCode in [false, true] {
      add(subject, "withdrawal \(runsCode)") { (decision) throws(LedgerError) in
        try decision.run(InvalidateHandler(id, .numbered(503), runsCode: runsCode))
      }
    }
  }
}
