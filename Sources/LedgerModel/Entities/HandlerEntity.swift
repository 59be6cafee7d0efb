/// The status of a handler.
@nonexhaustive public enum HandlerStatus: Sendable, Hashable {
  /// The handler can be called, or is being called.
  case active
  /// The handler is a one-shot handler whose call ended, with a value or a failure.
  case finished
  /// The handler was invalidated permanently.
  case invalidated
}

/// A handler as rebuilt by replay.
package struct HandlerEntity: Sendable, Hashable {
  /// The newest run that ended.
  package struct Finish: Sendable, Hashable {
    package let fact: LedgerEvent.Trace
    package let call: CallID
    package let purpose: HandlerCallPurpose
    package let attempt: UInt32
    package let outcome: HandlerCallFinished.Outcome
    package let report: ReportReference
  }

  /// The invalidation of a handler.
  package struct Invalidation: Sendable, Hashable {
    package let fact: LedgerEvent.Trace
    /// The start of the call that invalidated the handler, if a call did.
    package let cause: Position
    package let call: CallID
    package let runsCode: Bool
    package let reason: String
  }

  package let id: HandlerID
  package let created: LedgerEvent.Trace
  let description: HandlerDescription
  package private(set) var bound: BoundArguments
  /// The unfinished calls and runs of invalidation code.
  package private(set) var openCalls: [CallID: OpenCall] = [:]
  package private(set) var lastFinish: Finish?
  package private(set) var invalidation: Invalidation?
  /// Whether the handler is a one-shot handler whose call ended.
  private(set) var isSpent = false
  /// The position of the newest event applied.
  package private(set) var lastPosition: Position
  /// The time of the newest event applied.
  package private(set) var lastTime: Timestamp

  package var kind: String { description.kind }
  package var key: String? { description.key }
  package var label: String? { description.label }
  package var scopes: [String] { description.scopes }
  package var repetition: HandlerRepetition { description.repetition }
  package var isRepeating: Bool { repetition == .repeating }

  package var status: HandlerStatus {
    if invalidation != nil { return .invalidated }
    return isSpent ? .finished : .active
  }

  /// Whether the handler can still be called, or has an unfinished call.
  package var isOpen: Bool { status == .active || !openCalls.isEmpty }

  /// Whether a session is running a call of the handler.
  package var isRunning: Bool { openCalls.values.contains { !$0.isReleased } }

  /// The unfinished calls, in the order in which they first started.
  package var callsInOrder: [OpenCall] {
    openCalls.values.sorted { $0.firstStart.position < $1.firstStart.position }
  }

  /// The call that prevents a call of the one-shot handler; `nil` if there is none.
  package var hinderingCall: OpenCall? {
    isRepeating ? nil : callsInOrder.first { $0.purpose == .call }
  }
}

extension HandlerEntity {
  /// The handler with only one of its open calls.
  func keepingOnly(_ call: OpenCall) -> HandlerEntity {
    var handler = self
    handler.openCalls = [call.id: call]
    return handler
  }
}

// MARK: - Reducer

extension HandlerEntity {
  /// Applies the first event of a handler.
  package init(creating event: borrowing EventView) throws(ReplayProblem) {
    guard event.kind == .handlerCreated else {
      throw ReplayProblem(
        .illegalTransition("\(event.kind) of a handler that was never created"), at: event.position)
    }
    let creation: HandlerCreated = try event.decode()
    id = HandlerID(entityID: event.subject)
    created = LedgerEvent.Trace(event)
    description = HandlerDescription(
      kind: creation.handlerKind, repetition: creation.repetition, key: creation.key,
      label: creation.label, scopes: creation.scopes)
    bound = BoundArguments(
      arguments: try event.reference(to: creation.arguments), references: creation.references,
      position: event.position)
    lastPosition = event.position
    lastTime = event.time
  }

  /// Applies a later event. An event that does not fit changes nothing.
  ///
  /// - Precondition: The event comes after ``lastPosition``.
  package mutating func apply(_ event: borrowing EventView) throws(ReplayProblem) {
    assert(event.position > lastPosition, "an event was applied twice")
    switch event.kind {
    case .handlerRebound: try rebind(event)
    case .handlerCallStarted: try start(event)
    case .handlerCallReleased: try release(event)
    case .handlerCallFinished:
      try finish(event, try event.decode(as: HandlerCallFinished.self).end, of: .call)
    case .handlerInvalidated: try invalidate(event)
    case .handlerInvalidationFinished:
      let end = try event.decode(as: HandlerInvalidationFinished.self).end
      try finish(event, end, of: .invalidation)
    default: throw event.doesNotFit("a handler that is \(status)")
    }
    lastPosition = event.position
    lastTime = event.time
  }

  private mutating func rebind(_ event: borrowing EventView) throws(ReplayProblem) {
    let rebound: HandlerRebound = try event.decode()
    guard status == .active else { throw event.doesNotFit("a handler that is \(status)") }
    bound = BoundArguments(
      arguments: try event.reference(to: rebound.arguments), references: rebound.references,
      position: event.position)
  }

  private mutating func start(_ event: borrowing EventView) throws(ReplayProblem) {
    let started: HandlerCallStarted = try event.decode()
    let fact = LedgerEvent.Trace(event)
    if started.attempt > 1 {
      guard let call = openCalls[started.call], started.attempt - 1 == call.attempt,
        call.mayBeTaken(by: event.session), call.purpose == .invalidation || status == .active
      else { throw event.doesNotFit("a call whose attempt \(started.attempt) cannot begin") }
      openCalls[started.call]?.begin(attempt: started.attempt, fact)
    } else {
      guard status == .active else { throw event.doesNotFit("a handler that is \(status)") }
      guard openCalls[started.call] == nil, hinderingCall == nil else {
        throw event.doesNotFit("a handler that is being called")
      }
      openCalls[started.call] = OpenCall(
        id: started.call, purpose: .call, firstStart: fact,
        arguments: try event.reference(to: started.arguments), references: started.references,
        bound: bound, attempt: 1, newestStart: fact)
    }
  }

  private mutating func release(_ event: borrowing EventView) throws(ReplayProblem) {
    let released: HandlerCallReleased = try event.decode()
    guard let call = openCalls[released.call], !call.isReleased, call.attempt == released.attempt
    else { throw event.doesNotFit("a call whose attempt \(released.attempt) does not run") }
    if call.purpose == .call, status == .invalidated {
      openCalls[released.call] = nil
    } else {
      openCalls[released.call]?.giveBack(released.reason, LedgerEvent.Trace(event))
    }
  }

  private mutating func finish(
    _ event: borrowing EventView, _ end: HandlerCallFinished.End, of purpose: HandlerCallPurpose
  ) throws(ReplayProblem) {
    guard let call = openCalls[end.call], call.purpose == purpose, call.attempt == end.attempt
    else { throw event.doesNotFit("a call whose newest attempt is not \(end.attempt)") }
    lastFinish = Finish(
      fact: LedgerEvent.Trace(event), call: end.call, purpose: purpose, attempt: end.attempt,
      outcome: end.outcome, report: try event.reference(to: end.report))
    openCalls[end.call] = nil
    if purpose == .call, !isRepeating { isSpent = true }
  }

  private mutating func invalidate(_ event: borrowing EventView) throws(ReplayProblem) {
    let invalidated: HandlerInvalidated = try event.decode()
    guard status == .active else { throw event.doesNotFit("a handler that is \(status)") }
    guard openCalls[invalidated.call] == nil else {
      throw event.doesNotFit("a handler that has a call with the same id")
    }
    let arguments = try event.reference(to: invalidated.arguments)
    invalidation = Invalidation(
      fact: LedgerEvent.Trace(event), cause: event.cause, call: invalidated.call,
      runsCode: invalidated.runsCode,
      reason: invalidated.reason)
    // A released call must not start again after the invalidation. A call that finishes although it was
    // released, and invalidates its own handler, has its end in this commit.
    for call in openCalls.values where call.isReleased && !isWithdrawn(by: call) {
      openCalls[call.id] = nil
    }
    guard invalidated.runsCode else { return }
    openCalls[invalidated.call] = OpenCall(
      id: invalidated.call, purpose: .invalidation, firstStart: LedgerEvent.Trace(event),
      arguments: arguments,
      references: invalidated.references, bound: bound, attempt: 1,
      newestStart: LedgerEvent.Trace(event))
  }
}

extension HandlerEntity {
  /// Whether the handler was invalidated by an effect of a call.
  fileprivate func isWithdrawn(by call: OpenCall) -> Bool {
    invalidation?.cause == call.newestStart.position
  }
}

// MARK: - Invariants

extension HandlerEntity {
  /// Whether the events came in a possible order and the calls are in a possible state.
  var isConsistent: Bool {
    let calls = openCalls.values.filter { $0.purpose == .call }
    let invalidations = openCalls.values.filter { $0.purpose == .invalidation }
    let mayHaveCalls =
      switch status {
      case .active: invalidations.isEmpty && (isRepeating || calls.count <= 1)
      case .finished: openCalls.isEmpty && !isRepeating
      case .invalidated:
        invalidations.count <= 1 && calls.allSatisfy { !$0.isReleased || isWithdrawn(by: $0) }
      }
    return mayHaveCalls && bound.position >= created.position && bound.position <= lastPosition
      && openCalls.allSatisfy { id, call in
        call.id == id && call.attempt >= 1 && call.firstStart.position <= call.newestStart.position
          && call.newestStart.position <= lastPosition
          && call.bound.position <= call.firstStart.position
          && (call.release.map { $0.fact.position > call.newestStart.position } ?? true)
      }
  }
}
