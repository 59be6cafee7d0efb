/// A type-erased kind of work, with the function that prepares an attempt.
struct WorkRegistration: Sendable {
  /// Code, with its arguments and context, that is ready to run.
  struct Attempt: Sendable {
    /// The promises that the code receives.
    let promises: Set<PromiseID>
    let code: @Sendable (CalledWork, EffectCollector) async throws -> StoredValue
  }

  let type: any LedgerWork.Type
  let prepare: @Sendable (ArgumentSource, PromiseRecord, Ledger) async throws -> Attempt
  /// The former names of the value's type.
  let formerTypeTags: @Sendable (Ledger) throws(LedgerError) -> [String]

  var names: [String] { [type.kind] + type.formerKinds }
  var retryPolicy: WorkRetryPolicy { type.retryPolicy }

  init<Work: LedgerWork>(
    _ type: Work.Type, context: @escaping @Sendable (PromiseRecord) async throws -> Work.Context
  ) {
    self.type = type
    prepare = { (source, record, ledger) async throws -> Attempt in
      let (work, promises) = try source.decodeWork(Work.self, attaching: ledger)
      let codec = try ledger.configuration.codecs.codec(for: Work.Output.self)
      let context = try await context(record)
      return Attempt(promises: promises.values.reduce(into: []) { $0.formUnion($1) }) {
        called, effects in
        let output = try await work.run(in: LedgerCall(called, effects, context: context))
        return try ledger.checkedOutput(output, codec, of: "\(source.handler)")
      }
    }
    formerTypeTags = { (ledger) throws(LedgerError) in
      try ledger.configuration.codecs.codec(for: Work.Output.self).formerTypeTags
    }
  }
}

/// The error for stored arguments that do not fit the code.
struct UnfitWork: Error {
  let error: LedgerError
}

extension ArgumentSource {
  /// - Throws: ``UnfitWork``.
  fileprivate func decodeWork<Work: LedgerWork>(
    _ type: Work.Type, attaching ledger: Ledger
  ) throws -> (Work, promises: [String: Set<PromiseID>]) {
    do {
      return try decode(type, attaching: ledger)
    } catch {
      throw UnfitWork(error: error)
    }
  }
}

extension HandlerRegistry {
  /// Adds a kind of work whose code needs no context from the app.
  ///
  /// - Throws: As ``register(_:contextForWork:)``.
  public mutating func register<Work: LedgerWork>(
    _ type: Work.Type
  ) throws(LedgerError) where Work.Context == Void {
    try add(WorkRegistration(type) { _ in })
  }

  /// Adds a kind of work.
  ///
  /// - Parameters:
  ///   - type: The type with the code.
  ///   - context: Supplies the context that the code needs from the app; it is called for each attempt.
  /// - Throws: As ``register(_:contextForWork:)``.
  public mutating func register<Work: LedgerWork>(
    _ type: Work.Type, context: @escaping @Sendable () async throws -> Work.Context
  ) throws(LedgerError) {
    try add(WorkRegistration(type) { _ in try await context() })
  }

  /// Adds a kind of work whose context depends on its promise, for example on the tags.
  ///
  /// - Parameters:
  ///   - type: The type with the code.
  ///   - context: Supplies the context that the code needs from the app; it is called for each attempt. If it
  ///     throws, the attempt has failed. The ledger keeps this closure, so capture the ledger's owner weakly.
  /// - Throws: ``LedgerError`` with `handlerKindTaken` if a name of the kind belongs to another kind of work
  ///   or appears among its own former names; `invalidArgument` if the length of a name is out of bounds.
  public mutating func register<Work: LedgerWork>(
    _ type: Work.Type,
    contextForWork context: @escaping @Sendable (PromiseRecord) async throws -> Work.Context
  ) throws(LedgerError) {
    try add(WorkRegistration(type, context: context))
  }
}
