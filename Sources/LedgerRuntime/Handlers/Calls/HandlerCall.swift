/// What the code of a handler gets: its context, and a way to change the ledger.
///
/// Changes that the code asks for through this are kept, and made in the one commit that also
/// records that the call finished. So they happen exactly once, however often the code is run, and
/// not at all if the code throws. What became of each effect stands in the result of the call; a refused
/// one does not fail the call, unless it was asked for as `required`.
public final class HandlerCall<Context: Sendable>: Sendable {
  /// What the running app supplied.
  public let context: Context

  let running: RunningCall

  init(_ running: RunningCall, context: Context) {
    self.running = running
    self.context = context
  }

  /// The ledger, for reading. A change through it is made at once, and once for each time that the
  /// code runs. A promise among the arguments cannot be resolved so: that fails with
  /// ``LedgerError/Code/invalidArgument``, in the code and in the tasks that it begins, until it ends.
  public var ledger: Ledger { running.ledger }

  /// The handler that is called.
  public var handler: DurableHandler {
    DurableHandler(id: running.handler, ledger: running.ledger)
  }

  /// Names the call through all its attempts.
  public var id: CallID { running.id }

  /// Which run of the call this is, from 1.
  public var attempt: Int { Int(running.attempt) }
}

// MARK: - Promises

extension HandlerCall {
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
    try running.add(
      HandlerEffect(.resolvePromise(command), isRequired: required), byteCount: content.count)
  }

  /// Creates a promise when the call finishes.
  ///
  /// - Parameters:
  ///   - type: The type of its value.
  ///   - key: A key, from which the id then follows.
  ///   - label: A text for people, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: When the promise times out if it is still pending.
  ///   - required: Whether the call fails, with all its effects, if it cannot be created.
  /// - Returns: A handle. There is no such promise before the call finished; other effects of the
  ///   call may use it.
  /// - Throws: ``LedgerError`` with `invalidArgument` and `callEnded`.
  public func createPromise<Value: Sendable>(
    of type: Value.Type = Value.self, key: PromiseKey? = nil, label: String? = nil,
    tags: [String] = [], deadline: Timestamp? = nil, required: Bool = false
  ) throws(LedgerError) -> DurablePromise<Value> {
    let (command, promise) = try ledger.creation(
      of: type, key: key, label: label, tags: tags, deadline: deadline)
    try running.add(HandlerEffect(.createPromise(command), isRequired: required), byteCount: 0)
    return promise
  }

  private func requireOwn(_ other: LedgerID?, _ what: String) throws(LedgerError) {
    guard other == nil || other == ledger.id else {
      throw LedgerError(
        .invalidArgument, "\(running.handlerName): \(what) belongs to another ledger.")
    }
  }
}

// MARK: - Handlers

extension HandlerCall {
  /// Creates a handler when the call finishes.
  ///
  /// - Parameters:
  ///   - type: The type with the code; it must be registered.
  ///   - arguments: What is bound.
  ///   - key: A key, from which the id then follows.
  ///   - scopes: At most 16 texts of 1 to 64 bytes of UTF-8, for invalidating handlers together.
  ///   - repetition: Whether it can be called once or again and again.
  ///   - label: A text for people, at most 256 bytes of UTF-8.
  ///   - required: Whether the call fails, with all its effects, if there is one with this key.
  /// - Returns: A handle. There is no such handler before the call finished; other effects of the
  ///   call may use it.
  /// - Throws: ``LedgerError`` with `handlerUnregistered`, `encodingFailed`, `payloadTooLarge`,
  ///   `invalidArgument`, `callEnded`.
  public func createHandler<Handler: LedgerHandler>(
    _ type: Handler.Type, _ arguments: HandlerArguments = [:], key: HandlerKey? = nil,
    scopes: [String] = [], repetition: HandlerRepetition = .oneShot, label: String? = nil,
    required: Bool = false
  ) throws(LedgerError) -> DurableHandler {
    let command = try ledger.creation(
      of: type, arguments, key: key, scopes: scopes, repetition: repetition, label: label)
    try running.add(
      HandlerEffect(.createHandler(command), isRequired: required),
      byteCount: command.arguments.payloadByteCount)
    return DurableHandler(id: command.id, ledger: ledger)
  }

  /// Creates a handler from an instance of its type when the call finishes.
  ///
  /// Its properties are what is bound; see ``Ledger/createHandler(_:key:scopes:repetition:label:)``.
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

  /// Creates a handler when the call finishes, with arguments that its `Binding` gives types to.
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

  /// Schedules a call of a handler: it begins when this call finishes, and is run afterwards.
  ///
  /// With an argument that is missing or has another type than the handler wants, it does not begin: the
  /// verdict is ``EffectVerdict/typeMismatch``, the error is logged, and the handler stays as it is.
  ///
  /// - Throws: ``LedgerError`` with `encodingFailed`, `payloadTooLarge`, `invalidArgument`,
  ///   `callEnded`.
  public func scheduleCall(
    of handler: DurableHandler, _ arguments: HandlerArguments = [:], required: Bool = false
  ) throws(LedgerError) {
    let stored = try effectArguments(arguments, of: handler)
    let call = CallID(entityID: ledger.makeID())
    try running.add(
      HandlerEffect(.callHandler(handler.id, call, stored), isRequired: required),
      byteCount: stored.payloadByteCount)
  }

  /// Withdraws a handler when this call finishes; its invalidation code runs afterwards.
  ///
  /// With an argument that is missing or has another type than that code wants, the handler stays as it
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
    try running.add(
      HandlerEffect(
        .invalidateHandler(handler.id, call, reason: reason, stored), isRequired: required),
      byteCount: stored.payloadByteCount)
  }

  private func effectArguments(
    _ arguments: HandlerArguments, of handler: DurableHandler
  ) throws(LedgerError) -> ArgumentSet {
    try requireOwn(handler.ledgerID, "handler \(handler.id)")
    return try ledger.stored(arguments, of: "Handler \(handler.id)")
  }
}

extension ArgumentSet {
  /// What the values take together.
  var payloadByteCount: Int { arguments.arguments.reduce(0) { $0 + $1.payload.count } }
}
