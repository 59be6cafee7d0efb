import LedgerModel
public import LedgerRuntime

/// An event that a test expects.
///
/// An expectation compares what it names, and nothing else: `.promiseConsumed(promise)` leaves open how the
/// outcome was delivered. Only effects of code that were refused must be named; otherwise none may be.
/// Positions, times and the writing session are never compared.
public struct ExpectedEvent: Sendable {
  /// The entity that the event changes.
  enum Subject: Sendable {
    case any
    case entity(EntityID)
    case process(LedgerProcess)
  }

  /// Refused effects of code, in the order in which the code requested them.
  public typealias Refusals = KeyValuePairs<DecidedEffect.Kind, DecidedEffect.Verdict>

  let kind: EventKind
  let subject: Subject
  private(set) var facts: [EventLine.Fact] = []
  /// The names of facts that the event has only as often as they are expected.
  private(set) var exactNames: [String] = []
  /// The reason why the event can never be matched, such as a value that cannot be encoded.
  private(set) var problem: (any Error)?

  init(_ kind: EventKind, _ subject: Subject, _ facts: [EventLine.Fact?] = []) {
    self.kind = kind
    self.subject = subject
    self.facts = facts.compactMap(\.self)
  }

  init<Value: Sendable>(
    _ kind: EventKind, of promise: DurablePromise<Value>, _ facts: EventLine.Fact?...
  ) {
    self.init(kind, .entity(promise.id.entityID), facts)
  }

  init(_ kind: EventKind, of handler: DurableHandler, _ facts: EventLine.Fact?...) {
    self.init(kind, .entity(handler.id.entityID), facts)
  }

  /// The same event with further facts, which may be impossible to make.
  func with(_ facts: () throws -> [EventLine.Fact]) -> ExpectedEvent {
    var event = self
    do {
      event.facts += try facts()
    } catch {
      event.problem = error
    }
    return event
  }

  /// The same event with all of its facts of a name; with `nil`, they are left open.
  func with(
    all name: String, _ facts: () throws -> [EventLine.Fact]?
  ) -> ExpectedEvent {
    var event = self
    do {
      guard let facts = try facts() else { return self }
      event.facts += facts
      event.exactNames.append(name)
    } catch {
      event.problem = error
    }
    return event
  }

  /// The same event with all of its refused effects.
  func refusing(_ refusals: Refusals) -> ExpectedEvent {
    with(all: "refused") { refusals.map { EventLine.Fact(refused: $0.key, $0.value) } }
  }

  /// Any event of a kind.
  public static func event(_ kind: EventKind) -> ExpectedEvent { ExpectedEvent(kind, .any) }

  // MARK: Sessions

  /// A process opened the ledger.
  public static func sessionOpened(_ process: LedgerProcess) -> ExpectedEvent {
    ExpectedEvent(.sessionOpened, .process(process))
  }

  /// A process froze its session.
  public static func sessionFrozen(_ process: LedgerProcess) -> ExpectedEvent {
    ExpectedEvent(.sessionFrozen, .process(process))
  }

  /// A process came back from its freeze.
  public static func sessionUnfrozen(_ process: LedgerProcess) -> ExpectedEvent {
    ExpectedEvent(.sessionUnfrozen, .process(process))
  }

  /// The session of a process ended, or was found dead.
  public static func sessionClosed(
    _ process: LedgerProcess, _ reason: SessionClosed.Reason
  ) -> ExpectedEvent {
    ExpectedEvent(.sessionClosed, .process(process), [.init("reason", "\(reason)")])
  }

  // MARK: Promises

  /// A promise was created, with the type of its values.
  ///
  /// - Parameters:
  ///   - promise: The promise.
  ///   - deadline: Its deadline; `nil` leaves it open.
  ///   - tags: All of its tags, in their order; `nil` leaves them open.
  public static func promiseCreated<Value: Sendable>(
    _ promise: DurablePromise<Value>, deadline: Timestamp? = nil, tags: [String]? = nil
  ) -> ExpectedEvent {
    ExpectedEvent(
      .promiseCreated, of: promise, .init("type", promise.codec.typeTag),
      deadline.map(EventLine.Fact.init(deadline:))
    ).with(all: "tag") { tags?.map { EventLine.Fact("tag", $0) } }
  }

  /// A promise with a key was created.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - deadline: Its deadline; `nil` leaves it open.
  ///   - tags: All of its tags, in their order; `nil` leaves them open.
  public static func promiseCreated(
    key: PromiseKey, deadline: Timestamp? = nil, tags: [String]? = nil
  ) -> ExpectedEvent {
    ExpectedEvent(
      .promiseCreated, .entity(key.promiseID.entityID),
      [deadline.map(EventLine.Fact.init(deadline:))]
    ).with(all: "tag") { tags?.map { EventLine.Fact("tag", $0) } }
  }

  /// A promise was settled.
  ///
  /// The event of a fulfilled joint holds no value, so its value is not compared: look at its `outcome`.
  ///
  /// - Parameters:
  ///   - promise: The promise.
  ///   - outcome: Its outcome.
  ///   - refusals: The effects of the work that were refused, if work settled the promise. There are no others.
  public static func promiseResolved<Value: Sendable>(
    _ promise: DurablePromise<Value>, _ outcome: PromiseOutcome<Value>,
    refusing refusals: Refusals = [:]
  ) -> ExpectedEvent {
    ExpectedEvent(.promiseResolved, of: promise).with {
      let text = try outcome.map { value in try promise.codec.encode(value).asText }
      return [EventLine.Fact("outcome", text.words)]
    }.refusing(refusals)
  }

  /// A promise was rejected with an error, as `reject` stores it.
  public static func promiseRejected<Value: Sendable>(
    _ promise: DurablePromise<Value>, _ error: any Error, refusing refusals: Refusals = [:]
  ) -> ExpectedEvent {
    promiseResolved(promise, .rejected(StoredError(error)), refusing: refusals)
  }

  /// An outcome was delivered to the app.
  public static func promiseConsumed<Value: Sendable>(
    _ promise: DurablePromise<Value>
  ) -> ExpectedEvent {
    ExpectedEvent(.promiseConsumed, of: promise)
  }

  /// A promise was abandoned.
  public static func promiseAbandoned<Value: Sendable>(
    _ promise: DurablePromise<Value>, reason: String? = nil
  ) -> ExpectedEvent {
    ExpectedEvent(.promiseAbandoned, of: promise, reason.map { .init("reason", $0) })
  }
}

// MARK: - Comparing

extension ExpectedEvent {
  /// Whether an event is the expected one.
  func matches(_ line: EventLine) -> Bool {
    guard problem == nil, kind == line.kind else { return false }
    switch subject {
    case .any: break
    case .entity(let id): if id != line.subject { return false }
    case .process(let process):
      if !process.sessions.contains(where: { $0.entityID == line.subject }) { return false }
    }
    let isFulfilmentOfJoint = line.isFulfilmentOfJoint
    return facts.allSatisfy { line.says($0) || isFulfilmentOfJoint && $0.isFulfilment }
      && exactNames.allSatisfy { name in
        line.says(exactly: facts.filter { $0.name == name }, named: name)
      }
  }

  /// The event in one line.
  func words(_ names: EntityNames) -> String {
    if let problem { return "\(kind), which can never come: \(problem)" }
    let name: String? =
      switch subject {
      case .any: nil
      case .entity(let id): names.name(of: id)
      case .process(let process): process.sessions.last.map { names.name(of: $0.entityID) }
      }
    return EventLine.words(kind, name, facts, names)
  }
}

extension EventLine {
  /// The event in one line.
  func words(_ names: EntityNames) -> String {
    Self.words(kind, names.name(of: subject), facts, names)
  }

  fileprivate static func words(
    _ kind: EventKind, _ name: String?, _ facts: [Fact], _ names: EntityNames
  ) -> String {
    let told = facts.filter { fact in
      switch fact.name {
      // A name that is a key or a label says it already.
      case "key", "label": fact.text != name
      // A value of the type void.
      case "value": !fact.text.isEmpty
      default: true
      }
    }
    let words = told.map { fact in
      "\(fact.name): \(fact.text)" + (fact.subject.map { " of \(names.name(of: $0))" } ?? "")
    }
    return ([kind.description + (name.map { " of \($0)" } ?? "")] + words)
      .joined(separator: ", ")
  }
}
