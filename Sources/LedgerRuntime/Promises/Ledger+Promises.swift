import Logging

extension Ledger {
  /// Creates a promise with a random id.
  ///
  /// Concurrent calls share a commit: creating many promises in parallel tasks is many times faster than
  /// creating them one after another.
  ///
  /// - Parameters:
  ///   - type: The type of the value: `Void`, `[UInt8]`, anything `Codable`, or what `codec` encodes.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8, for finding promises.
  ///   - deadline: The time at which a pending promise times out, such as `ledger.now + .seconds(30)`.
  ///   - codec: The encoding of values, if not JSON.
  /// - Returns: The promise, once it is durable.
  /// - Throws: ``LedgerError`` with `invalidArgument`, `ledgerFull`, `diskFull`, `writerStalled`,
  ///   `ioFailure`; `CancellationError` if the task was cancelled before the writer took the command.
  public func createPromise<Value: Sendable>(
    of type: Value.Type = Value.self, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil, codec: PayloadCodec<Value>? = nil
  ) async throws -> DurablePromise<Value> {
    let codec = try codec ?? configuration.codecs.codec(for: type)
    let creation = PromiseCreated(
      typeTag: codec.typeTag, label: label, tags: tags, deadline: deadline)
    return try await createNew(creation, codec)
  }

  /// Creates a timer that survives the process: a promise that is fulfilled at its deadline.
  ///
  /// - Throws: As ``createPromise(of:label:tags:deadline:codec:)``.
  public func createTimer(
    until deadline: Timestamp, label: String? = nil, tags: [String] = []
  ) async throws -> DurablePromise<Void> {
    let creation = PromiseCreated(
      typeTag: PayloadCodec<Void>.void.typeTag, label: label, tags: tags, deadline: deadline,
      deadlineEffect: .fulfils)
    return try await createNew(creation, .void)
  }

  /// Creates a timer whose id derives from a key, or finds the one that the same request created.
  ///
  /// - Parameters:
  ///   - key: The key; the same key makes the same timer in every process.
  ///   - deadline: The time at which the promise is fulfilled. An existing timer keeps its own deadline.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - idempotencyKey: A key that identifies repetitions of this request; by default `key`.
  ///   - strict: Whether a repetition counts as one only while the promise is pending.
  /// - Throws: As ``createPromise(key:of:label:tags:deadline:idempotencyKey:strict:codec:)``.
  public func createTimer(
    key: PromiseKey, until deadline: Timestamp, label: String? = nil, tags: [String] = [],
    idempotencyKey: IdempotencyKey? = nil, strict: Bool = false
  ) async throws -> DurablePromise<Void> {
    let creation = PromiseCreated(
      typeTag: PayloadCodec<Void>.void.typeTag, key: key.text, label: label, tags: tags,
      deadline: deadline, deadlineEffect: .fulfils, idempotencyKey: idempotencyKey?.text ?? key.text
    )
    return try await createKeyed(key, creation, .void, isStrict: strict).promise
  }

  /// Creates a promise whose id derives from a key, or finds the one that the same request created.
  ///
  /// - Parameters:
  ///   - key: The key; the same key makes the same promise in every process.
  ///   - type: The type of the value.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: The time at which a pending promise times out.
  ///   - idempotencyKey: A key that identifies repetitions of this request; by default `key`.
  ///   - strict: Whether a repetition counts as one only while the promise is pending.
  ///   - codec: The encoding of values, if not JSON.
  /// - Returns: The promise, once it is durable.
  /// - Throws: As ``createPromise(of:label:tags:deadline:codec:)``; `conflict` if another request created
  ///   the promise with this key, or a strict request finds it settled; and `recordRemoved` if its record was
  ///   removed.
  public func createPromise<Value: Sendable>(
    key: PromiseKey, of type: Value.Type = Value.self, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil, idempotencyKey: IdempotencyKey? = nil, strict: Bool = false,
    codec: PayloadCodec<Value>? = nil
  ) async throws -> DurablePromise<Value> {
    try await createPromiseIfAbsent(
      key: key, of: type, label: label, tags: tags, deadline: deadline,
      idempotencyKey: idempotencyKey, strict: strict, codec: codec
    ).promise
  }

  /// Creates a promise whose id derives from a key, or reports the existing promise.
  ///
  /// The parameters are those of
  /// ``createPromise(key:of:label:tags:deadline:idempotencyKey:strict:codec:)``, which throws where this
  /// returns ``PromiseCreation/conflict(_:)``.
  ///
  /// - Returns: Whether this request created the promise, repeated the one that did, or found the promise
  ///   of another request.
  /// - Throws: As ``createPromise(of:label:tags:deadline:codec:)``, and `recordRemoved` if the record of the
  ///   promise with this key was removed.
  public func createPromiseIfAbsent<Value: Sendable>(
    key: PromiseKey, of type: Value.Type = Value.self, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil, idempotencyKey: IdempotencyKey? = nil, strict: Bool = false,
    codec: PayloadCodec<Value>? = nil
  ) async throws -> PromiseCreation<Value> {
    let codec = try codec ?? configuration.codecs.codec(for: type)
    let creation = PromiseCreated(
      typeTag: codec.typeTag, key: key.text, label: label, tags: tags, deadline: deadline,
      idempotencyKey: idempotencyKey?.text ?? key.text)
    return try await createKeyed(key, creation, codec, isStrict: strict)
  }

  /// Finds the promise with a key, in any state, or creates it.
  ///
  /// After an app was killed, it uses this to attach to its promise again.
  ///
  /// - Returns: The promise, once it is durable.
  /// - Throws: As ``createPromise(of:label:tags:deadline:codec:)``, `typeMismatch` if the existing promise
  ///   has another type, and `recordRemoved` if its record was removed.
  public func findOrCreatePromise<Value: Sendable>(
    key: PromiseKey, of type: Value.Type = Value.self, label: String? = nil,
    tags: [String] = [], deadline: Timestamp? = nil, codec: PayloadCodec<Value>? = nil
  ) async throws -> DurablePromise<Value> {
    let codec = try codec ?? configuration.codecs.codec(for: type)
    let creation = PromiseCreated(
      typeTag: codec.typeTag, key: key.text, label: label, tags: tags, deadline: deadline,
      idempotencyKey: key.text)
    try creation.checkLimits()
    _ = try await engine.submit(
      CreatePromise(
        id: key.promiseID, creation: creation, isStrict: false, adoptsAny: true,
        formerTypeTags: codec.formerTypeTags))
    return DurablePromise(id: key.promiseID, ledger: self, codec: codec)
  }

  /// A handle on the promise with an id. It does not check whether the promise exists.
  ///
  /// - Throws: ``LedgerError/Code/invalidArgument`` if the type needs a codec.
  public func promise<Value: Sendable>(
    id: PromiseID, of type: Value.Type = Value.self, codec: PayloadCodec<Value>? = nil
  ) throws(LedgerError) -> DurablePromise<Value> {
    if let codec { return DurablePromise(id: id, ledger: self, codec: codec) }
    return DurablePromise(
      id: id, ledger: self, codec: try configuration.codecs.codec(for: type))
  }

  // MARK: Records

  /// The current record of a promise, or `nil` if there is no such promise.
  public func record(of id: PromiseID) async throws -> PromiseRecord? {
    try await records.promiseRecord(of: id)
  }

  /// The current record of the promise with a key, or `nil` if there is none.
  public func record(forKey key: PromiseKey) async throws -> PromiseRecord? {
    try await record(of: key.promiseID)
  }

  /// The promises that are neither consumed nor abandoned, in the order of their creation.
  ///
  /// - Complexity: O(n log n) in their number.
  public func unconsumedPromises() async throws -> [PromiseRecord] {
    let open = try await engine.read(fromCopy: true) { state in
      try state.openPromisesAndWork().filter { !$0.endsWhenSettled }
    }
    return try await records.promiseRecords(of: open)
  }

  // MARK: Without the type

  /// Gives a promise an outcome whose value is already encoded.
  ///
  /// If there is no such promise, the session also logs a warning, because a caller may ignore the result.
  ///
  /// - Throws: As ``DurablePromise/resolve(with:idempotencyKey:strict:)``.
  @discardableResult
  public func resolve(
    _ id: PromiseID, with outcome: PromiseOutcome<StoredValue>,
    idempotencyKey: IdempotencyKey? = nil,
    strict: Bool = true
  ) async throws -> PromiseResolution {
    try await resolve(
      id, with: outcome, formerTypeTags: [], idempotencyKey: idempotencyKey, strict: strict)
  }

  /// - Parameters:
  ///   - formerTypeTags: The former type tags of the value's type; the promise may have any of them.
  ///   - isForced: Whether the promise may be one that code settles.
  func resolve(
    _ id: PromiseID, with outcome: PromiseOutcome<StoredValue>, formerTypeTags: [String],
    idempotencyKey: IdempotencyKey?, strict: Bool, isForced: Bool = false
  ) async throws -> PromiseResolution {
    try refuseInCode(of: id)
    let command = ResolvePromise(
      id: id, outcome: outcome.kind, content: try checkedContent(of: outcome, for: id),
      typeTag: outcome.typeTag, formerTypeTags: formerTypeTags,
      idempotencyKey: idempotencyKey?.text,
      isStrict: strict, isForced: isForced)
    switch try await engine.submit(command) {
    // Taken from the request: a durable answer must not depend on reading the value again.
    case .resolved(let entity):
      let record = PromiseRecord(entity, try entity.creation(), outcome: outcome)
      return .resolved(records.namingKnownInstance(record))
    case .deduplicated(let entity):
      return .deduplicated(try await records.promiseRecord(of: entity))
    case .alreadyResolved(let entity):
      return .alreadyResolved(try await records.promiseRecord(of: entity))
    case .abandoned(let entity):
      return .abandoned(try await records.promiseRecord(of: entity))
    case .notFound:
      configuration.logger.warning(
        "a promise to be resolved does not exist: check the id, and that it belongs to this ledger",
        metadata: ["promise": "\(id)", "outcome": "\(outcome.kind)"])
      return .notFound
    }
  }

  /// Gives up a promise permanently.
  ///
  /// - Throws: As ``DurablePromise/abandon(reason:)``.
  @discardableResult
  public func abandon(_ id: PromiseID, reason: String) async throws -> PromiseAbandonment {
    try TextLimit.reason.check(reason)
    switch try await engine.submit(AbandonPromise(id: id, reason: reason)) {
    case .abandoned(let entity):
      let read = try? await records.record(of: entity)
      let record = try read ?? PromiseRecord(entity, try entity.creation(), outcome: nil)
      return .abandoned(records.namingKnownInstance(record))
    case .alreadyConsumed(let entity):
      return .alreadyConsumed(try await records.promiseRecord(of: entity))
    case .alreadySettled(let entity):
      return .alreadySettled(try await records.promiseRecord(of: entity))
    case .notFound: return .notFound
    }
  }
}

// MARK: - Between commands and answers

extension Ledger {
  /// The creation of a promise as part of a commit, and a handle on that promise.
  func creation<Value: Sendable>(
    of type: Value.Type, key: PromiseKey?, label: String?, tags: [String], deadline: Timestamp?
  ) throws(LedgerError) -> (command: CreatePromise, promise: DurablePromise<Value>) {
    let codec = try configuration.codecs.codec(for: type)
    let creation = PromiseCreated(
      typeTag: codec.typeTag, key: key?.text, label: label, tags: tags, deadline: deadline,
      idempotencyKey: key?.text)
    try creation.checkLimits()
    let id =
      key?.promiseID
      ?? PromiseID(entityID: configuration.idGenerator.makeID(at: configuration.timeForIDs))
    return (
      CreatePromise(id: id, creation: creation, isStrict: false),
      DurablePromise(id: id, ledger: self, codec: codec)
    )
  }

  private func createNew<Value: Sendable>(
    _ creation: PromiseCreated, _ codec: PayloadCodec<Value>
  ) async throws -> DurablePromise<Value> {
    let id = PromiseID(
      entityID: configuration.idGenerator.makeID(at: configuration.timeForIDs))
    guard case .created = try await create(id, creation, isStrict: true) else {
      throw LedgerError(
        .internalInconsistency, "The id generator made the id \(id) twice. Use a better one.")
    }
    return DurablePromise(id: id, ledger: self, codec: codec)
  }

  private func createKeyed<Value: Sendable>(
    _ key: PromiseKey, _ creation: PromiseCreated, _ codec: PayloadCodec<Value>, isStrict: Bool
  ) async throws -> PromiseCreation<Value> {
    let promise = DurablePromise(id: key.promiseID, ledger: self, codec: codec)
    switch try await create(promise.id, creation, isStrict: isStrict) {
    case .created: return .created(promise)
    case .deduplicated(let entity):
      return .deduplicated(promise, try await records.promiseRecord(of: entity))
    case .conflict(let entity): return .conflict(try await records.promiseRecord(of: entity))
    }
  }

  private func create(
    _ id: PromiseID, _ creation: PromiseCreated, isStrict: Bool
  ) async throws -> CreatePromise.Answer {
    try creation.checkLimits()
    return try await engine.submit(
      CreatePromise(id: id, creation: creation, isStrict: isStrict))
  }

  func checkedContent(
    of outcome: PromiseOutcome<StoredValue>, for id: PromiseID
  ) throws(LedgerError) -> [UInt8] {
    let content: [UInt8]
    switch outcome {
    case .fulfilled(let value):
      try TextLimit.typeTag.check(value.typeTag)
      content = value.bytes
    case .rejected(let error):
      if let payload = error.payload { try TextLimit.typeTag.check(payload.typeTag) }
      content = error.encoded
    case .cancelled(let reason):
      try TextLimit.reason.check(reason)
      content = Array(reason.utf8)
    case .timedOut:
      throw LedgerError(.invalidArgument, "Only a deadline times a promise out; cancel it instead.")
    }
    guard content.count <= configuration.maximumPayloadSizeInBytes else {
      throw LedgerError(
        .payloadTooLarge,
        "The outcome of promise \(id) has \(content.count) bytes; the limit is \(configuration.maximumPayloadSizeInBytes). Store it elsewhere and its name here, or raise the limit (maximumPayloadSizeInBytes)."
      )
    }
    return content
  }
}

extension Ledger {
  /// The outcome of a promise, still encoded, with the value of a joint composed of those of its inputs.
  ///
  /// - Returns: `nil` if there is no such promise, or if it is pending or abandoned.
  /// - Throws: ``LedgerError`` with `recordRemoved` if the record of an input was removed.
  /// - Complexity: O(n) in the number of inputs of a joint.
  package func storedOutcome(of id: PromiseID) async throws -> PromiseOutcome<StoredValue>? {
    guard let entity = try await engine.read({ try $0.promise(id) }) else { return nil }
    return try await records.outcome(of: entity)
  }
}

extension PromiseOutcome<StoredValue> {
  var typeTag: String? {
    if case .fulfilled(let value) = self { value.typeTag } else { nil }
  }
}

extension PromiseCreated {
  func checkLimits() throws(LedgerError) {
    try TextLimit.typeTag.check(typeTag)
    if let key { try TextLimit.promiseKey.check(key) }
    if let label { try TextLimit.label.check(label) }
    if let idempotencyKey { try TextLimit.idempotencyKey.check(idempotencyKey) }
    guard tags.count <= TextLimit.maximumTagCount else {
      throw LedgerError(
        .invalidArgument,
        "The promise has \(tags.count) tags; the maximum is \(TextLimit.maximumTagCount).")
    }
    for tag in tags { try TextLimit.tag.check(tag) }
  }
}
