/// A kind of handler with what runs it, without its type.
struct HandlerRegistration: Sendable {
  /// Code with its arguments and its context, ready to run.
  struct Run: Sendable {
    /// The promise that a failure of the code rejects.
    let promiseToReject: PromiseID?
    let code: @Sendable (RunningCall) async throws -> StoredValue
  }

  /// Checks everything that can fail before the code runs.
  typealias Preparation =
    @Sendable (ArgumentSource, HandlerRecord, Ledger) async throws -> Run

  let type: any LedgerHandler.Type
  let prepareCall: Preparation
  /// `nil` if the kind has no invalidation code.
  let prepareInvalidation: Preparation?
  /// What keeps arguments from being decoded; if they are not complete, others may still come.
  let problem: @Sendable (ArgumentSource, CallPurpose, _ isComplete: Bool) -> LedgerError?

  var kind: String { type.kind }
  var hasInvalidationCode: Bool { prepareInvalidation != nil }
  var names: [String] { [type.kind] + type.formerKinds }

  init<Handler: LedgerHandler>(
    _ type: Handler.Type,
    context: @escaping @Sendable (HandlerRecord) async throws -> Handler.Context
  ) throws(LedgerError) {
    self.type = type
    let codec: PayloadCodec<Handler.Output> = try .standard()
    prepareCall = { (source, record, ledger) async throws -> Run in
      let (handler, promises) = try source.decode(Handler.self, attaching: ledger)
      let context = try await context(record)
      let body = try await handler.body(in: context, for: record)
      let promise = Handler.onFailure.promiseToReject(
        among: promises, isOnlyRun: !record.isRepeating)
      return Run(promiseToReject: promise) { running in
        let output = try await body(HandlerCall(running, context: context))
        return try ledger.checkedOutput(output, codec, of: source.handler)
      }
    }
    let invalidation: Preparation = { (source, record, ledger) async throws -> Run in
      let (parameters, promises) = try source.decode(
        Handler.Invalidation.self, attaching: ledger)
      let context = try await context(record)
      // A handler is withdrawn once, also a repeating one.
      let promise = Handler.onFailure.promiseToReject(among: promises, isOnlyRun: true)
      return Run(promiseToReject: promise) { running in
        try await Handler.invalidate(parameters, in: HandlerCall(running, context: context))
        return StoredValue(typeTag: PayloadCodec<Void>.void.typeTag, bytes: [])
      }
    }
    prepareInvalidation = Handler.hasInvalidationCode ? invalidation : nil
    problem = { source, purpose, isComplete in
      let type: any Decodable.Type =
        purpose == .call ? Handler.self : Handler.Invalidation.self
      return source.problem(decoding: type, isComplete: isComplete)
    }
  }
}

extension LedgerHandler {
  fileprivate typealias Body = @Sendable (HandlerCall<Context>) async throws -> Output

  /// The code; that of an instance handler with the instance, which is found first.
  fileprivate func body(in context: Context, for record: HandlerRecord) async throws -> Body {
    if let handler = self as? any LedgerInstanceHandler,
      let body = try await handler.instanceBody(in: context, for: record) as? Body
    {
      return body
    }
    return { call in try await self.call(in: call) }
  }
}

extension LedgerInstanceHandler {
  /// The code with its instance, as the ``LedgerHandler/Body`` of this type.
  fileprivate func instanceBody(
    in context: any Sendable, for record: HandlerRecord
  ) async throws -> any Sendable {
    guard let context = context as? Context else { return () }
    guard let instance = try await instance(in: context) else {
      throw LedgerError.instanceNotFound(record.id, kind: record.kind)
    }
    let body: Body = { call in try await self.call(on: instance, in: call) }
    return body
  }
}

extension Ledger {
  /// Encodes what code returned.
  fileprivate func checkedOutput<Output: Sendable>(
    _ output: Output, _ codec: PayloadCodec<Output>, of handler: String
  ) throws -> StoredValue {
    let bytes: [UInt8]
    do {
      bytes = try codec.encode(output)
    } catch {
      throw LedgerError(
        .encodingFailed, "\(handler): what it returned cannot be encoded.", cause: error)
    }
    let limit = configuration.maximumPayloadSizeInBytes
    guard bytes.count <= limit else {
      throw LedgerError(
        .payloadTooLarge,
        "\(handler): what it returned has \(bytes.count) bytes; the limit is \(limit).")
    }
    return StoredValue(typeTag: codec.typeTag, bytes: bytes)
  }
}
