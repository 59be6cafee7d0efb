/// A group of promises and handlers to create together; see ``Ledger/batch(_:)``.
public struct LedgerBatch: Sendable {
  private let ledger: Ledger
  private(set) var parts: [CreateTogether.Part] = []
  private var byteCount = 0

  init(in ledger: Ledger) {
    self.ledger = ledger
  }

  /// Creates a promise with the batch, or finds the one with the same key.
  ///
  /// - Parameters:
  ///   - type: The type of its value.
  ///   - key: A key, from which the id is then derived.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: The time at which a pending promise times out.
  /// - Returns: A handle. The promise does not exist before the batch is done, but handlers of the batch may
  ///   be bound to it.
  /// - Throws: ``LedgerError/Code/invalidArgument``.
  public mutating func createPromise<Value: Sendable>(
    of type: Value.Type = Value.self, key: PromiseKey? = nil, label: String? = nil,
    tags: [String] = [], deadline: Timestamp? = nil
  ) throws(LedgerError) -> DurablePromise<Value> {
    let (command, promise) = try ledger.creation(
      of: type, key: key, label: label, tags: tags, deadline: deadline)
    try add(.promise(command), byteCount: 0)
    return promise
  }

  /// Creates a handler with the batch, or finds the one with the same key.
  ///
  /// - Parameters:
  ///   - type: The type with the code; it must be registered.
  ///   - arguments: The arguments to bind.
  ///   - key: A key, from which the id is then derived.
  ///   - scopes: At most 16 texts of 1 to 64 bytes of UTF-8, for invalidating handlers together.
  ///   - repetition: Whether it can be called once or repeatedly.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  /// - Returns: A handle. The handler does not exist before the batch is done, but handlers of the batch may
  ///   be bound to it.
  /// - Throws: ``LedgerError`` with `handlerUnregistered`, `encodingFailed`, `payloadTooLarge`,
  ///   `invalidArgument`.
  @discardableResult
  public mutating func createHandler<Handler: LedgerHandler>(
    _ type: Handler.Type, _ arguments: HandlerArguments = [:], key: HandlerKey? = nil,
    scopes: [String] = [], repetition: HandlerRepetition = .oneShot, label: String? = nil
  ) throws(LedgerError) -> DurableHandler {
    let command = try ledger.creation(
      of: type, arguments, key: key, scopes: scopes, repetition: repetition, label: label)
    try add(.handler(command), byteCount: command.arguments.payloadByteCount)
    return DurableHandler(id: command.id, ledger: ledger)
  }

  /// Creates a handler with the batch from an instance of its type, or finds the one with the same key.
  ///
  /// Its properties are the bound arguments; see ``Ledger/createHandler(_:key:scopes:repetition:label:)``.
  ///
  /// - Throws: As ``createHandler(_:_:key:scopes:repetition:label:)``.
  @discardableResult
  public mutating func createHandler<Handler: LedgerHandler>(
    _ handler: Handler, key: HandlerKey? = nil, scopes: [String] = [],
    repetition: HandlerRepetition = .oneShot, label: String? = nil
  ) throws(LedgerError) -> DurableHandler {
    try createHandler(
      Handler.self, HandlerArguments(encoding: handler), key: key, scopes: scopes,
      repetition: repetition, label: label)
  }

  /// Creates a handler with the batch, with arguments typed by its `Binding`.
  ///
  /// - Throws: As ``createHandler(_:_:key:scopes:repetition:label:)``.
  @discardableResult
  public mutating func createHandler<Handler: LedgerHandler>(
    _ type: Handler.Type, binding: Handler.Binding, key: HandlerKey? = nil,
    scopes: [String] = [], repetition: HandlerRepetition = .oneShot, label: String? = nil
  ) throws(LedgerError) -> DurableHandler {
    try createHandler(
      type, HandlerArguments(encoding: binding), key: key, scopes: scopes,
      repetition: repetition, label: label)
  }

  private mutating func add(_ part: CreateTogether.Part, byteCount: Int) throws(LedgerError) {
    guard parts.count < CreateTogether.maximumPartCount else {
      throw LedgerError(
        .invalidArgument,
        "A batch may create at most \(CreateTogether.maximumPartCount) promises and handlers. Spread them over several batches."
      )
    }
    let limit = ledger.configuration.maximumPayloadSizeInBytes
    guard self.byteCount + byteCount <= limit else {
      throw LedgerError(
        .payloadTooLarge,
        "The arguments of the handlers of a batch have more than \(limit) bytes together. Spread them over several batches, or raise the limit."
      )
    }
    self.byteCount += byteCount
    parts.append(part)
  }
}
