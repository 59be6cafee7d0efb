/// The interface of code to the app and the ledger: its context, and a way to change the ledger.
///
/// Changes that the code requests here are collected, and made in the same commit that records the end of the
/// code. So they happen exactly once, however often the code runs, and not at all if the code throws. The
/// verdict on each effect is recorded with the end; a refused effect does not fail the code, unless it was
/// requested as `required`.
public final class LedgerCall<Subject: Sendable, Context: Sendable>: Sendable {
  /// The context that the running app supplied.
  public let context: Context

  let subject: Subject
  let effects: EffectCollector

  init(_ subject: Subject, _ effects: EffectCollector, context: Context) {
    self.subject = subject
    self.effects = effects
    self.context = context
  }

  /// The ledger, for reading.
  ///
  /// A change through it takes effect immediately, and once for each run of the code. You cannot
  /// resolve a promise among the arguments this way: until the code ends, an attempt in the code or
  /// in the tasks that it starts fails with ``LedgerError/Code/invalidArgument``.
  public var ledger: Ledger { effects.ledger }
}

// MARK: - Handlers

/// The call of a handler, as the handler's code sees it. The result of the call holds the verdict on each
/// effect.
public typealias HandlerCall<Context: Sendable> = LedgerCall<CalledHandler, Context>

/// The handler that is being called.
public struct CalledHandler: Sendable {
  let call: RunningCall
}

extension LedgerCall where Subject == CalledHandler {
  convenience init(_ call: RunningCall, context: Context) {
    self.init(CalledHandler(call: call), call.effects, context: context)
  }

  /// The handler of this call.
  public var handler: DurableHandler {
    DurableHandler(id: subject.call.handler, ledger: ledger)
  }

  /// The id of the call, the same for all attempts.
  public var id: CallID { subject.call.id }

  /// The number of this run of the call, counted from 1.
  public var attempt: Int { Int(subject.call.attempt) }
}

// MARK: - Effects on promises

extension LedgerCall {
  /// Gives a promise a value when the call finishes.
  ///
  /// - Parameters:
  ///   - promise: The promise.
  ///   - value: Its value.
  ///   - required: Whether the call fails, with all its effects, if the promise cannot be resolved.
  /// - Throws: ``LedgerError`` with `encodingFailed`, `payloadTooLarge`, `invalidArgument`, and
  ///   `callEnded` after the code returned.
  public func fulfill<Value: Sendable>(
    _ promise: DurablePromise<Value>, _ value: Value, required: Bool = false
  ) throws(LedgerError) {
    try resolve(promise, with: .fulfilled(value), required: required)
  }

  /// Rejects a promise with an error when the call finishes.
  ///
  /// - Throws: As ``fulfill(_:_:required:)``.
  public func reject<Value: Sendable>(
    _ promise: DurablePromise<Value>, _ error: any Error, required: Bool = false
  ) throws(LedgerError) {
    try resolve(promise, with: .rejected(StoredError(error)), required: required)
  }

  /// Cancels a promise when the call finishes.
  ///
  /// - Throws: As ``fulfill(_:_:required:)``.
  public func cancel<Value: Sendable>(
    _ promise: DurablePromise<Value>, reason: String = "", required: Bool = false
  ) throws(LedgerError) {
    try resolve(promise, with: .cancelled(reason: reason), required: required)
  }

  /// Gives a promise an outcome when the call finishes.
  ///
  /// - Throws: As ``fulfill(_:_:required:)``.
  public func resolve<Value: Sendable>(
    _ promise: DurablePromise<Value>, with outcome: PromiseOutcome<Value>, required: Bool = false
  ) throws(LedgerError) {
    try requireOwn(promise.ledgerID, "promise \(promise.id)")
    let stored = try outcome.map { (value) throws(LedgerError) in try promise.encode(value) }
    let content = try ledger.checkedContent(of: stored, for: promise.id)
    let command = ResolvePromise(
      id: promise.id, outcome: stored.kind, content: content, typeTag: stored.typeTag,
      formerTypeTags: promise.codec.formerTypeTags, idempotencyKey: nil, isStrict: true)
    try effects.add(
      HandlerEffect(.resolvePromise(command), isRequired: required), byteCount: content.count)
  }

  /// Creates a promise when the call finishes.
  ///
  /// - Parameters:
  ///   - type: The type of its value.
  ///   - key: A key, from which the id is then derived.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: The time at which a pending promise times out.
  ///   - required: Whether the call fails, with all its effects, if it cannot be created.
  /// - Returns: A handle. The promise does not exist before the call finishes, but other effects of the call
  ///   may use it.
  /// - Throws: ``LedgerError`` with `invalidArgument` and `callEnded`.
  public func createPromise<Value: Sendable>(
    of type: Value.Type = Value.self, key: PromiseKey? = nil, label: String? = nil,
    tags: [String] = [], deadline: Timestamp? = nil, required: Bool = false
  ) throws(LedgerError) -> DurablePromise<Value> {
    let (command, promise) = try ledger.creation(
      of: type, key: key, label: label, tags: tags, deadline: deadline)
    try effects.add(HandlerEffect(.createPromise(command), isRequired: required), byteCount: 0)
    return promise
  }

  private func requireOwn(_ other: LedgerID?, _ what: String) throws(LedgerError) {
    guard other == nil || other == ledger.id else {
      throw LedgerError(
        .invalidArgument, "\(effects.codeName): \(what) belongs to another ledger.")
    }
  }
}

// MARK: - Effects on handlers

extension LedgerCall {
  /// Creates a handler when the call finishes.
  ///
  /// - Parameters:
  ///   - type: The type with the code; it must be registered.
  ///   - arguments: The arguments to bind.
  ///   - key: A key, from which the id is then derived.
  ///   - scopes: At most 16 texts of 1 to 64 bytes of UTF-8, for invalidating handlers together.
  ///   - repetition: Whether it can be called once or repeatedly.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - required: Whether the call fails, with all its effects, if a handler with this key exists.
  /// - Returns: A handle. The handler does not exist before the call finishes, but other effects of the call
  ///   may use it.
  /// - Throws: ``LedgerError`` with `handlerUnregistered`, `encodingFailed`, `payloadTooLarge`,
  ///   `invalidArgument`, `callEnded`.
  public func createHandler<Handler: LedgerHandler>(
    _ type: Handler.Type, _ arguments: HandlerArguments = [:], key: HandlerKey? = nil,
    scopes: [String] = [], repetition: HandlerRepetition = .oneShot, label: String? = nil,
    required: Bool = false
  ) throws(LedgerError) -> DurableHandler {
    let command = try ledger.creation(
      of: type, arguments, key: key, scopes: scopes, repetition: repetition, label: label)
    try effects.add(
      HandlerEffect(.createHandler(command), isRequired: required),
      byteCount: command.arguments.payloadByteCount)
    return DurableHandler(id: command.id, ledger: ledger)
  }

  /// Creates a handler from an instance of its type when the call finishes.
  ///
  /// Its properties are the bound arguments; see ``Ledger/createHandler(_:key:scopes:repetition:label:)``.
  ///
  /// - Throws: As ``createHandler(_:_:key:scopes:repetition:label:required:)``.
  public func createHandler<Handler: LedgerHandler>(
    _ handler: Handler, key: HandlerKey? = nil, scopes: [String] = [],
    repetition: HandlerRepetition = .oneShot, label: String? = nil, required: Bool = false
  ) throws(LedgerError) -> DurableHandler {
    try createHandler(
      Handler.self, HandlerArguments(encoding: handler), key: key, scopes: scopes,
      repetition: repetition, label: label, required: required)
  }

  /// Creates a handler when the call finishes, with arguments typed by its `Binding`.
  ///
  /// - Throws: As ``createHandler(_:_:key:scopes:repetition:label:required:)``.
  public func createHandler<Handler: LedgerHandler>(
    _ type: Handler.Type, binding: Handler.Binding, key: HandlerKey? = nil,
    scopes: [String] = [], repetition: HandlerRepetition = .oneShot, label: String? = nil,
    required: Bool = false
  ) throws(LedgerError) -> DurableHandler {
    try createHandler(
      type, HandlerArguments(encoding: binding), key: key, scopes: scopes,
      repetition: repetition, label: label, required: required)
  }

  /// Schedules a call of a handler: it begins when this call finishes, and runs afterwards.
  ///
  /// If an argument is missing or does not have the parameter's type, the call does not begin: the verdict is
  /// ``DecidedEffect/Verdict/typeMismatch``, the error is logged, and the handler stays as it is.
  ///
  /// - Throws: ``LedgerError`` with `encodingFailed`, `payloadTooLarge`, `invalidArgument`,
  ///   `callEnded`.
  public func scheduleCall(
    of handler: DurableHandler, _ arguments: HandlerArguments = [:], required: Bool = false
  ) throws(LedgerError) {
    let stored = try effectArguments(arguments, of: handler)
    let call = CallID(entityID: ledger.makeID())
    try effects.add(
      HandlerEffect(.callHandler(handler.id, call, stored), isRequired: required),
      byteCount: stored.payloadByteCount)
  }

  /// Withdraws a handler when this call finishes; its invalidation code runs afterwards.
  ///
  /// If an argument of that code is missing or does not have the parameter's type, the handler stays as it
  /// is, as for ``scheduleCall(of:_:required:)``.
  ///
  /// - Throws: ``LedgerError`` with `encodingFailed`, `payloadTooLarge`, `invalidArgument`,
  ///   `callEnded`.
  public func invalidate(
    _ handler: DurableHandler, _ arguments: HandlerArguments = [:], reason: String = "",
    required: Bool = false
  ) throws(LedgerError) {
    try TextLimit.reason.check(reason)
    let stored = try effectArguments(arguments, of: handler)
    let call = CallID(entityID: ledger.makeID())
    try effects.add(
      HandlerEffect(
        .invalidateHandler(handler.id, call, reason: reason, stored), isRequired: required),
      byteCount: stored.payloadByteCount)
  }

  private func effectArguments(
    _ arguments: HandlerArguments, of handler: DurableHandler
  ) throws(LedgerError) -> ArgumentSet {
    try requireOwn(handler.ledgerID, "handler \(handler.id)")
    return try ledger.stored(arguments, of: .handler(handler.id))
  }
}

extension ArgumentSet {
  /// The total size of the values.
  var payloadByteCount: Int { arguments.arguments.reduce(0) { $0 + $1.payload.count } }
}
