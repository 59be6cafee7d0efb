extension Ledger {
  /// Creates a handler, or finds the one with the same key.
  ///
  /// - Parameters:
  ///   - type: The type with the code; it must be registered in ``LedgerConfiguration/handlers``.
  ///   - arguments: The arguments to bind; the others are given when the handler is called.
  ///   - key: A key, from which the id is then derived, such as the id of the request whose answer the
  ///     handler processes.
  ///   - scopes: At most 16 texts of 1 to 64 bytes of UTF-8, for invalidating handlers together.
  ///   - repetition: Whether it can be called once or repeatedly.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  /// - Returns: The handler, once it is durable.
  /// - Throws: ``LedgerError`` with `handlerUnregistered`, `encodingFailed`, `payloadTooLarge`,
  ///   `invalidArgument`, including for a name that is not a parameter, `argumentMismatch` or
  ///   `decodingFailed` for a value that the parameter cannot take, `recordRemoved` if the record of the handler
  ///   with this key was removed, `ledgerFull`, `diskFull`, `writerStalled`; `CancellationError`.
  @discardableResult
  public func createHandler<Handler: LedgerHandler>(
    _ type: Handler.Type, _ arguments: HandlerArguments = [:], key: HandlerKey? = nil,
    scopes: [String] = [], repetition: HandlerRepetition = .oneShot, label: String? = nil
  ) async throws -> HandlerCreation {
    let command = try creation(
      of: type, arguments, key: key, scopes: scopes, repetition: repetition, label: label)
    let handler = DurableHandler(id: command.id, ledger: self)
    switch try await engine.submit(command) {
    case .created: return .created(handler)
    case .exists(let entity): return .exists(handler, try await records.record(of: entity))
    }
  }

  /// Creates a handler from an instance of its type, or finds the one with the same key.
  ///
  /// The properties of the instance are the bound arguments, so the compiler checks their names and types. An
  /// optional property without a value stays open: the call may supply it.
  ///
  /// ```swift
  /// try await ledger.createHandler(
  ///   SetAvatar(room: room, promise: promise), key: HandlerKey(request))
  /// ```
  ///
  /// An instance cannot omit a mandatory property that only the call supplies. In that case bind by name,
  /// with ``createHandler(_:_:key:scopes:repetition:label:)``, or with a ``LedgerHandler/Binding``.
  ///
  /// - Parameters:
  ///   - handler: The instance with the arguments to bind. It is encoded immediately and never run: a call
  ///     runs an instance that is decoded from the ledger.
  ///   - key: A key, from which the id is then derived.
  ///   - scopes: At most 16 texts of 1 to 64 bytes of UTF-8, for invalidating handlers together.
  ///   - repetition: Whether it can be called once or repeatedly.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  /// - Returns: The handler, once it is durable.
  /// - Throws: As ``createHandler(_:_:key:scopes:repetition:label:)``.
  @discardableResult
  public func createHandler<Handler: LedgerHandler>(
    _ handler: Handler, key: HandlerKey? = nil, scopes: [String] = [],
    repetition: HandlerRepetition = .oneShot, label: String? = nil
  ) async throws -> HandlerCreation {
    try await createHandler(
      Handler.self, HandlerArguments(encoding: handler), key: key, scopes: scopes,
      repetition: repetition, label: label)
  }

  /// Creates a handler with arguments typed by its `Binding`.
  ///
  /// - Throws: As ``createHandler(_:_:key:scopes:repetition:label:)``.
  @discardableResult
  public func createHandler<Handler: LedgerHandler>(
    _ type: Handler.Type, binding: Handler.Binding, key: HandlerKey? = nil,
    scopes: [String] = [], repetition: HandlerRepetition = .oneShot, label: String? = nil
  ) async throws -> HandlerCreation {
    try await createHandler(
      type, HandlerArguments(encoding: binding), key: key, scopes: scopes,
      repetition: repetition, label: label)
  }

  /// A handle on the handler with an id. It does not check whether the handler exists.
  public func handler(id: HandlerID) -> DurableHandler {
    DurableHandler(id: id, ledger: self)
  }

  /// A handle on the handler with a key. It does not check whether the handler exists.
  public func handler(forKey key: HandlerKey) -> DurableHandler {
    handler(id: key.handlerID)
  }

  // MARK: Records

  /// The current record of a handler, or `nil` if there is no such handler.
  public func record(of id: HandlerID) async throws -> HandlerRecord? {
    try await records.record(of: id, HandlerEntity.self)
  }

  /// The handlers that can still be called or have an unfinished call, in the order of their creation.
  ///
  /// - Parameters:
  ///   - scope: If given, only handlers with this scope.
  ///   - kind: If given, only handlers of this kind, under its present name or a former one.
  /// - Complexity: O(n log n) in the number of such handlers.
  public func handlers(
    inScope scope: String? = nil, ofKind kind: String? = nil
  ) async throws -> [HandlerRecord] {
    let names = kind.map { Set(configuration.handlers[$0]?.names ?? [$0]) }
    return try await records.records(
      of: try await engine.read(fromCopy: true) { state in
        try state.openHandlers().filter { entity in
          (scope.map(entity.scopes.contains) ?? true) && (names?.contains(entity.kind) ?? true)
        }
      })
  }

  /// The handlers that could be called, but whose kind this session does not know.
  ///
  /// They stay in the ledger, can be invalidated, and work again once you register their kind, or a kind that
  /// lists it as a former name.
  ///
  /// - Complexity: O(n log n) in the number of open handlers.
  public func orphanedHandlers() async throws -> [HandlerRecord] {
    let known = configuration.handlers.kinds
    return try await records.records(
      of: try await engine.read(fromCopy: true) { state in
        try state.openHandlers().filter { !known.contains($0.kind) }
      })
  }

  /// The reason why a handler is missing: it was never created, or its record was removed.
  func reason(forMissing id: HandlerID) async throws -> LedgerError {
    try await engine.read { try $0.refusal(ofMissing: id) }
  }
}

// MARK: - Between commands and answers

extension Ledger {
  func makeID() -> EntityID {
    configuration.idGenerator.makeID(at: configuration.timeForIDs)
  }

  /// The arguments in the form that an event stores.
  func stored(
    _ arguments: HandlerArguments, of code: CodeName
  ) throws(LedgerError) -> ArgumentSet {
    try arguments.stored(
      for: code, in: id, limit: configuration.maximumPayloadSizeInBytes)
  }

  func creation<Handler: LedgerHandler>(
    of type: Handler.Type, _ arguments: HandlerArguments, key: HandlerKey?, scopes: [String],
    repetition: HandlerRepetition, label: String?
  ) throws(LedgerError) -> CreateHandler {
    let registration = try configuration.handlers.registration(of: type)
    if let label { try TextLimit.label.check(label) }
    guard scopes.count <= TextLimit.maximumScopeCount else {
      throw LedgerError(
        .invalidArgument,
        "The handler has \(scopes.count) scopes; the maximum is \(TextLimit.maximumScopeCount).")
    }
    for scope in scopes { try TextLimit.scope.check(scope) }
    let handlerID = key?.handlerID ?? HandlerID(entityID: makeID())
    let name = CodeName.handler(handlerID, kind: registration.kind)
    let bound = try stored(arguments, of: name).withoutErased()
    try check(bound, of: name, for: registration)
    return CreateHandler(
      id: handlerID,
      HandlerDescription(
        kind: registration.kind, repetition: repetition, key: key?.text,
        label: label, scopes: scopes),
      arguments: bound)
  }

  /// Rejects arguments to bind with which the code could never run.
  func check(
    _ bound: ArgumentSet, of handler: CodeName, for registration: HandlerRegistration
  ) throws(LedgerError) {
    let source = ArgumentSource(handler: handler, bound: bound.arguments, given: .none)
    if let problem = registration.problem(binding: source, in: self) { throw problem }
  }
}
