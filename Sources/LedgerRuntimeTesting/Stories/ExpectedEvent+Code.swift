import LedgerModel
public import LedgerRuntime

extension ExpectedEvent {
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
  ///   - refusals: The effects of the step that were refused. There are no others.
  public static func workStepFinished<Value: Sendable>(
    _ work: DurablePromise<Value>, _ step: String, _ outcome: WorkStepFinished.Outcome = .value,
    refusing refusals: Refusals = [:]
  ) -> ExpectedEvent {
    ExpectedEvent(
      .workStepFinished, of: work, .init("step", step), .init("outcome", "\(outcome)")
    ).refusing(refusals)
  }

  /// A step of work returned a value, which is kept.
  ///
  /// - Parameters:
  ///   - work: The promise of the work.
  ///   - step: The name of the step, with its key in brackets if it has one, such as `charge[card]`.
  ///   - value: The value.
  ///   - refusals: The effects of the step that were refused. There are no others.
  public static func workStepFinished<Value: Sendable, Kept: Sendable>(
    _ work: DurablePromise<Value>, _ step: String, returning value: Kept,
    refusing refusals: Refusals = [:]
  ) -> ExpectedEvent {
    workStepFinished(work, step, refusing: refusals).with { try work.ledger.facts(of: value) }
  }

  /// The cancellation of work was requested.
  public static func workCancelRequested<Value: Sendable>(
    _ work: DurablePromise<Value>
  ) -> ExpectedEvent {
    ExpectedEvent(.workCancelRequested, of: work)
  }

  /// An operator changed work, as `parkWork` and `retryWork` do.
  ///
  /// - Parameters:
  ///   - work: The promise of the work.
  ///   - parking: The effect of the change on parked work.
  public static func workAmended<Value: Sendable>(
    _ work: DurablePromise<Value>, _ parking: WorkAmended.Parking
  ) -> ExpectedEvent {
    ExpectedEvent(.workAmended, of: work, .init("parking", "\(parking)"))
  }

  // MARK: Handlers

  /// A handler was created.
  ///
  /// - Parameters:
  ///   - handler: The handler.
  ///   - arguments: All arguments that were bound; `nil` leaves them open.
  public static func handlerCreated(
    _ handler: DurableHandler, arguments: HandlerArguments? = nil
  ) -> ExpectedEvent {
    ExpectedEvent(.handlerCreated, of: handler).with(arguments, of: handler)
  }

  /// Other arguments were bound to a handler.
  ///
  /// - Parameters:
  ///   - handler: The handler.
  ///   - arguments: All arguments that are bound from then on, also those that were before; `nil` leaves them open.
  public static func handlerRebound(
    _ handler: DurableHandler, arguments: HandlerArguments? = nil
  ) -> ExpectedEvent {
    ExpectedEvent(.handlerRebound, of: handler).with(arguments, of: handler)
  }

  private func with(
    _ arguments: HandlerArguments?, of handler: DurableHandler
  ) -> ExpectedEvent {
    with(all: "argument") {
      try arguments.map { EventLine.Fact.arguments(try handler.stored($0)) }
    }
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
  ///
  /// ```swift
  /// .handlerCallFinished(answer, .returned, refusing: [.rejectPromise: .alreadyResolved])
  /// ```
  ///
  /// - Parameters:
  ///   - handler: The handler.
  ///   - outcome: The way in which it ended; `nil` leaves it open.
  ///   - refusals: The effects of the code that were refused. There are no others.
  public static func handlerCallFinished(
    _ handler: DurableHandler, _ outcome: HandlerCallFinished.Outcome? = nil,
    refusing refusals: Refusals = [:]
  ) -> ExpectedEvent {
    ExpectedEvent(
      .handlerCallFinished, of: handler, outcome.map { .init("outcome", "\($0)") }
    ).refusing(refusals)
  }

  /// A run of a handler returned a value.
  ///
  /// - Parameters:
  ///   - handler: The handler.
  ///   - value: The value.
  ///   - refusals: The effects of the code that were refused. There are no others.
  public static func handlerCallFinished<Value: Sendable>(
    _ handler: DurableHandler, returning value: Value, refusing refusals: Refusals = [:]
  ) -> ExpectedEvent {
    handlerCallFinished(handler, .returned, refusing: refusals)
      .with { try handler.ledger.facts(of: value) }
  }

  /// A handler was invalidated.
  public static func handlerInvalidated(_ handler: DurableHandler) -> ExpectedEvent {
    ExpectedEvent(.handlerInvalidated, of: handler)
  }

  /// The invalidation code of a handler ended.
  ///
  /// - Parameters:
  ///   - handler: The handler.
  ///   - refusals: The effects of the code that were refused. There are no others.
  public static func handlerInvalidationFinished(
    _ handler: DurableHandler, refusing refusals: Refusals = [:]
  ) -> ExpectedEvent {
    ExpectedEvent(.handlerInvalidationFinished, of: handler).refusing(refusals)
  }
}

extension Ledger {
  /// The facts of a value that code returns.
  fileprivate func facts<Value: Sendable>(of value: Value) throws -> [EventLine.Fact] {
    let codec = try configuration.codecs.codec(for: Value.self)
    return EventLine.Fact.value(try codec.encode(value), codec.typeTag)
  }
}
