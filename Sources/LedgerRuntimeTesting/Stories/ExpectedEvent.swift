import LedgerModel
public import LedgerRuntime

/// An event that a test expects.
///
/// An expectation compares what it names, and nothing else: `.promiseConsumed(promise)` leaves open how the
/// outcome was delivered. Positions, times and the writing session are never compared.
public struct ExpectedEvent: Sendable {
  /// The entity that the event changes.
  enum Subject: Sendable {
    case any
    case entity(EntityID)
    case process(LedgerProcess)
  }

  let kind: EventKind
  let subject: Subject
  var facts: [EventLine.Fact] = []
  /// The reason why the event can never be matched, such as a value that cannot be encoded.
  var problem: (any Error)?

  private init(_ kind: EventKind, _ subject: Subject, _ facts: [EventLine.Fact?] = []) {
    self.kind = kind
    self.subject = subject
    self.facts = facts.compactMap(\.self)
  }

  private init<Value: Sendable>(
    _ kind: EventKind, of promise: DurablePromise<Value>, _ facts: EventLine.Fact?...
  ) {
    self.init(kind, .entity(promise.id.entityID), facts)
  }

  private init(
    _ kind: EventKind, of handler: DurableHandler, _ facts: EventLine.Fact?...
  ) {
    self.init(kind, .entity(handler.id.entityID), facts)
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

  /// A promise was created.
  public static func promiseCreated<Value: Sendable>(
    _ promise: DurablePromise<Value>
  ) -> ExpectedEvent {
    ExpectedEvent(.promiseCreated, of: promise)
  }

  /// A promise with a key was created.
  public static func promiseCreated(key: PromiseKey) -> ExpectedEvent {
    ExpectedEvent(.promiseCreated, .entity(key.promiseID.entityID))
  }

  /// A promise was settled.
  public static func promiseResolved<Value: Sendable>(
    _ promise: DurablePromise<Value>, _ outcome: PromiseOutcome<Value>
  ) -> ExpectedEvent {
    do {
      let text = try outcome.map { value in try promise.codec.encode(value).asText }
      return ExpectedEvent(.promiseResolved, of: promise, .init("outcome", text.words))
    } catch {
      var expected = ExpectedEvent(.promiseResolved, of: promise)
      expected.problem = error
      return expected
    }
  }

  /// A promise was rejected with an error, as `reject` stores it.
  public static func promiseRejected<Value: Sendable>(
    _ promise: DurablePromise<Value>, _ error: any Error
  ) -> ExpectedEvent {
    promiseResolved(promise, .rejected(StoredError(error)))
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

  // MARK: Work

  /// An attempt of work began.
  public static func workStarted<Value: Sendable>(
    _ work: DurablePromise<Value>, attempt: Int? = nil
  ) -> ExpectedEvent {
    ExpectedEvent(.workStarted, of: work, attempt.map { .init("attempt", $0) })
  }

  /// An attempt of work ended without settling its promise.
  public static func workReleased<Value: Sendable>(
    _ work: DurablePromise<Value>, _ reason: WorkReleased.Reason
  ) -> ExpectedEvent {
    ExpectedEvent(.workReleased, of: work, .init("reason", "\(reason)"))
  }

  /// A step of work ended, and its result is kept.
  ///
  /// - Parameters:
  ///   - work: The promise of the work.
  ///   - step: The name of the step, with its key in brackets if it has one, such as `charge[card]`.
  ///   - outcome: The kind of result.
  public static func workStepFinished<Value: Sendable>(
    _ work: DurablePromise<Value>, _ step: String, _ outcome: WorkStepFinished.Outcome = .value
  ) -> ExpectedEvent {
    ExpectedEvent(
      .workStepFinished, of: work, .init("step", step), .init("outcome", "\(outcome)"))
  }

  /// The cancellation of work was requested.
  public static func workCancelRequested<Value: Sendable>(
    _ work: DurablePromise<Value>
  ) -> ExpectedEvent {
    ExpectedEvent(.workCancelRequested, of: work)
  }

  // MARK: Handlers

  /// A handler was created.
  public static func handlerCreated(_ handler: DurableHandler) -> ExpectedEvent {
    ExpectedEvent(.handlerCreated, of: handler)
  }

  /// A run of a handler began.
  public static func handlerCallStarted(
    _ handler: DurableHandler, attempt: Int? = nil
  ) -> ExpectedEvent {
    ExpectedEvent(.handlerCallStarted, of: handler, attempt.map { .init("attempt", $0) })
  }

  /// A run of a handler was given back unfinished.
  public static func handlerCallReleased(
    _ handler: DurableHandler, _ reason: HandlerCallReleased.Reason
  ) -> ExpectedEvent {
    ExpectedEvent(.handlerCallReleased, of: handler, .init("reason", "\(reason)"))
  }

  /// A run of a handler ended.
  public static func handlerCallFinished(
    _ handler: DurableHandler, _ outcome: HandlerCallFinished.Outcome? = nil
  ) -> ExpectedEvent {
    ExpectedEvent(
      .handlerCallFinished, of: handler, outcome.map { .init("outcome", "\($0)") })
  }

  /// A handler was invalidated.
  public static func handlerInvalidated(_ handler: DurableHandler) -> ExpectedEvent {
    ExpectedEvent(.handlerInvalidated, of: handler)
  }

  /// The invalidation code of a handler ended.
  public static func handlerInvalidationFinished(_ handler: DurableHandler) -> ExpectedEvent {
    ExpectedEvent(.handlerInvalidationFinished, of: handler)
  }
}

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
    return facts.allSatisfy(line.says)
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
    return EventLine.words(kind, name, facts)
  }
}

extension EventLine {
  /// The event in one line.
  func words(_ names: EntityNames) -> String { Self.words(kind, names.name(of: subject), facts) }

  fileprivate static func words(_ kind: EventKind, _ name: String?, _ facts: [Fact]) -> String {
    // A name that is a key or a label says it already.
    let told = facts.filter { $0.text != name }.map { "\($0.name): \($0.text)" }
    return ([kind.description + (name.map { " of \($0)" } ?? "")] + told)
      .joined(separator: ", ")
  }
}
