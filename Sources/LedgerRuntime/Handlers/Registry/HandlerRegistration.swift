/// A type-erased kind of handler, with the functions that run it.
struct HandlerRegistration: Sendable {
  /// Code, with its arguments and context, that is ready to run.
  struct Run: Sendable {
    /// The promises that the code receives.
    let promises: Set<PromiseID>
    /// The promise among them that a failure of the code rejects.
    let promiseToReject: PromiseID?
    let code: @Sendable (RunningCall) async throws -> StoredValue
  }

  /// Checks everything that can fail before the code runs. It also receives the live object of the call.
  typealias Preparation =
    @Sendable (ArgumentSource, HandlerRecord, (any Sendable)?, Ledger) async throws -> Run

  let type: any LedgerHandler.Type
  /// The type of the live object; `nil` if the context does not use one.
  let liveType: LiveType?
  let prepareCall: Preparation
  /// Prepares the invalidation code; `nil` if the kind has none.
  let prepareInvalidation: Preparation?
  private let probe:
    @Sendable (ArgumentSource, HandlerCallPurpose, Ledger?, _ isComplete: Bool) -> ArgumentProbe

  var kind: String { type.kind }
  var hasInvalidationCode: Bool { prepareInvalidation != nil }
  var names: [String] { [type.kind] + type.formerKinds }

  init<Handler: LedgerHandler>(
    _ type: Handler.Type, with liveType: LiveType? = nil,
    context: @escaping @Sendable (HandlerRecord, (any Sendable)?) async throws -> Handler.Context
  ) throws(LedgerError) {
    self.type = type
    self.liveType = liveType
    let codec: PayloadCodec<Handler.Output> = try .standard()
    prepareCall = { (source, record, live, ledger) async throws -> Run in
      let (handler, promises) = try source.decode(Handler.self, attaching: ledger)
      let context = try await context(record, live)
      let body = try await handler.body(in: context, for: record)
      return Run(Handler.onFailure, promises, isOnly: record.repetition == .oneShot) { running in
        let output = try await body(HandlerCall(running, context: context))
        return try ledger.checkedOutput(output, codec, of: "\(source.handler)")
      }
    }
    let invalidation: Preparation = { (source, record, live, ledger) async throws -> Run in
      let (parameters, promises) = try source.decode(
        Handler.Invalidation.self, attaching: ledger)
      let context = try await context(record, live)
      // Even a repeating handler is withdrawn only once.
      return Run(Handler.onFailure, promises, isOnly: true) { running in
        try await Handler.invalidate(parameters, in: HandlerCall(running, context: context))
        return StoredValue(typeTag: PayloadCodec<Void>.void.typeTag, bytes: [])
      }
    }
    prepareInvalidation = Handler.hasInvalidationCode ? invalidation : nil
    probe = { source, purpose, ledger, isComplete in
      let type: any Decodable.Type =
        purpose == .call ? Handler.self : Handler.Invalidation.self
      return source.probe(type, in: ledger, isComplete: isComplete)
    }
    try requireParameter(named: Handler.onFailure.argument)
  }
}

extension HandlerRegistration {
  /// The problem that prevents decoding arguments, or `nil` if none is known.
  ///
  /// - Parameter isComplete: Whether no further arguments will follow.
  func problem(
    _ source: ArgumentSource, _ purpose: HandlerCallPurpose, in ledger: Ledger, isComplete: Bool
  ) -> LedgerError? {
    probe(source, purpose, ledger, isComplete).problem
  }

  /// The problem that prevents binding arguments: a name that is not a parameter, or a value that the
  /// parameter cannot take.
  ///
  /// Types are checked up to the first missing argument for which no substitute value exists; names are
  /// always checked.
  ///
  /// - Parameter source: The arguments to bind, without any given ones.
  func problem(binding source: ArgumentSource, in ledger: Ledger) -> LedgerError? {
    let call = probe(source, .call, ledger, false)
    let invalidation =
      hasInvalidationCode ? probe(source, .invalidation, ledger, false) : nil
    for name in source.names where !name.mayBeParameter(of: call, or: invalidation) {
      return source.unknown(name, call, invalidation)
    }
    return call.problem ?? invalidation?.problem
  }

  /// Rejects a name in ``LedgerHandler/onFailure`` that is not a parameter.
  private func requireParameter(named name: String?) throws(LedgerError) {
    guard let name else { return }
    let source = ArgumentSource(
      handler: .handlerType("\(type)", kind: kind), bound: .none, given: .none)
    let call = probe(source, .call, nil, false)
    let invalidation = hasInvalidationCode ? probe(source, .invalidation, nil, false) : nil
    guard !name.mayBeParameter(of: call, or: invalidation) else { return }
    throw source.unknown(name, call, invalidation)
  }
}

extension String {
  /// Whether it may be the name of a parameter of the code, or of the invalidation code if that exists.
  fileprivate func mayBeParameter(
    of call: ArgumentProbe, or invalidation: ArgumentProbe?
  ) -> Bool {
    call.mayHaveParameter(self) || invalidation?.mayHaveParameter(self) ?? false
  }
}

extension HandlerRegistration.Run {
  /// - Parameters:
  ///   - promises: The promises that the code receives, by argument.
  ///   - isOnly: Whether the code never runs again after a failure.
  fileprivate init(
    _ policy: HandlerFailurePolicy, _ promises: [String: Set<PromiseID>], isOnly: Bool,
    code: @escaping @Sendable (RunningCall) async throws -> StoredValue
  ) {
    self.init(
      promises: promises.values.reduce(into: []) { $0.formUnion($1) },
      promiseToReject: policy.promiseToReject(among: promises, isOnlyRun: isOnly), code: code)
  }
}

extension LedgerHandler {
  fileprivate typealias Body = @Sendable (HandlerCall<Context>) async throws -> Output

  /// The code; for an instance handler, it first finds the instance.
  fileprivate func body(in context: Context, for record: HandlerRecord) async throws -> Body {
    if let handler = self as? any LedgerInstanceHandler,
      let body = try await handler.instanceBody(in: context, for: record) as? Body
    {
      return body
    }
    return { call in try await self.run(in: call) }
  }
}

extension LedgerInstanceHandler {
  /// The code bound to its instance, as the ``LedgerHandler/Body`` of this type.
  fileprivate func instanceBody(
    in context: any Sendable, for record: HandlerRecord
  ) async throws -> any Sendable {
    guard let context = context as? Context else { return () }
    guard let instance = try await instance(in: context) else {
      throw LedgerError.instanceNotFound(record.id, kind: record.kind)
    }
    let body: Body = { call in try await self.run(on: instance, in: call) }
    return body
  }
}

extension Ledger {
  /// Encodes the return value of the code.
  func checkedOutput<Output: Sendable>(
    _ output: Output, _ codec: PayloadCodec<Output>, of code: @autoclosure () -> String
  ) throws -> StoredValue {
    let bytes: [UInt8]
    do {
      bytes = try codec.encode(output)
    } catch {
      throw LedgerError(
        .encodingFailed, "\(code()): the value that it returned cannot be encoded.", cause: error)
    }
    let limit = configuration.maximumPayloadSizeInBytes
    guard bytes.count <= limit else {
      throw LedgerError(
        .payloadTooLarge,
        "\(code()): the value that it returned has \(bytes.count) bytes; the limit is \(limit). Store it elsewhere and its name here, or raise the limit."
      )
    }
    return StoredValue(typeTag: codec.typeTag, bytes: bytes)
  }
}
