extension Ledger {
  /// A promise of the values of all promises, in their order.
  ///
  /// It is settled like the first promise that is settled without a value. It is durable: the promises may be
  /// settled by any process, at any time, and need no process that waits for them.
  ///
  /// ```swift
  /// let album = try await ledger.all(thumbnails)
  /// try await album.then(AlbumReady.self, ["album": id])
  /// ```
  ///
  /// The values are not stored again: they are read from the promises, whose records are kept while the joint
  /// is pending, unconsumed, or needed by other work.
  ///
  /// - Parameters:
  ///   - promises: At most 1,000,000 promises of this ledger; of none, the result is fulfilled at once.
  ///   - key: A key, from which the id of the returned promise is then derived: repeating the call with the
  ///     same key and promises finds it.
  ///   - lifetime: The time up to which the returned promise is open. By default, its outcome needs no
  ///     consumption.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: The time at which the returned promise times out.
  /// - Returns: The promise, once it is durable.
  /// - Throws: ``LedgerError`` with `notFound` if one of the promises does not exist, `invalidArgument` if one
  ///   belongs to another ledger or there are too many, `conflict` if another request created the promise with
  ///   this key, `recordRemoved`, `ledgerFull`, `diskFull`, `writerStalled`; `CancellationError`.
  public func all<Value: Sendable>(
    _ promises: [DurablePromise<Value>], key: PromiseKey? = nil,
    lifetime: PromiseCreated.Lifetime = .untilSettled, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil
  ) async throws -> DurablePromise<[Value]> {
    let codec = try codec(of: promises).all
    return try await join(
      .all, promises, codec, key: key, lifetime: lifetime, label: label, tags: tags,
      deadline: deadline)
  }

  /// A promise of the outcomes of all promises, in their order. It is fulfilled once all of them are settled.
  ///
  /// The outcome of a promise that was abandoned while it was pending is a cancellation.
  ///
  /// - Throws: As ``all(_:key:lifetime:label:tags:deadline:)``.
  public func allSettled<Value: Sendable>(
    _ promises: [DurablePromise<Value>], key: PromiseKey? = nil,
    lifetime: PromiseCreated.Lifetime = .untilSettled, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil
  ) async throws -> DurablePromise<[PromiseOutcome<Value>]> {
    let codec = try codec(of: promises).allSettled
    return try await join(
      .allSettled, promises, codec, key: key, lifetime: lifetime, label: label, tags: tags,
      deadline: deadline)
  }

  /// A promise of the value of the promise that is fulfilled first.
  ///
  /// If all of them are settled without a value, it is rejected, with the first of their errors in the message.
  ///
  /// - Throws: As ``all(_:key:lifetime:label:tags:deadline:)``, and `invalidArgument` if there is no promise.
  public func any<Value: Sendable>(
    _ promises: [DurablePromise<Value>], key: PromiseKey? = nil,
    lifetime: PromiseCreated.Lifetime = .untilSettled, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil
  ) async throws -> DurablePromise<Value> {
    try await join(
      .any, promises, try codec(of: promises), key: key, lifetime: lifetime, label: label,
      tags: tags, deadline: deadline)
  }

  /// A promise that is settled like the promise that is settled first.
  ///
  /// - Throws: As ``any(_:key:lifetime:label:tags:deadline:)``.
  public func race<Value: Sendable>(
    _ promises: [DurablePromise<Value>], key: PromiseKey? = nil,
    lifetime: PromiseCreated.Lifetime = .untilSettled, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil
  ) async throws -> DurablePromise<Value> {
    try await join(
      .race, promises, try codec(of: promises), key: key, lifetime: lifetime, label: label,
      tags: tags, deadline: deadline)
  }

  // MARK: Creating

  private func join<Value: Sendable, Joined: Sendable>(
    _ rule: PromiseCreated.Joint.Rule, _ promises: [DurablePromise<Value>],
    _ codec: PayloadCodec<Joined>, key: PromiseKey?, lifetime: PromiseCreated.Lifetime,
    label: String?, tags: [String], deadline: Timestamp?
  ) async throws -> DurablePromise<Joined> {
    try requireOwn(promises)
    let order = JointOrder(
      rule: rule, inputs: promises.map(\.id), id: key?.promiseID ?? PromiseID(entityID: makeID()),
      typeTag: codec.typeTag, key: key, lifetime: lifetime, label: label, tags: tags,
      deadline: deadline)
    try await create(order)
    return DurablePromise(id: order.id, ledger: self, codec: codec)
  }

  /// The number of joints in one commit: each looks up all of its inputs, and other writers wait meanwhile.
  private static let jointsPerCommit = 16

  func create(_ order: JointOrder) async throws {
    // What exists is only compared, in any order.
    let exists = try await engine.read { try $0.promise(order.id) != nil }
    for level in try order.levels() {
      let joints = exists ? level : try await inOrderOfDecision(level)
      for slice in joints.slices(of: Self.jointsPerCommit) {
        try await engine.submit(CreateTogether(slice.map(CreateTogether.Part.promise)))
      }
    }
  }

  /// Joints in the order in which one of their inputs decided them, so that they are settled in this order: by it, the
  /// joint above them tells which input came first.
  private func inOrderOfDecision(_ joints: [CreatePromise]) async throws -> [CreatePromise] {
    guard joints.count > 1 else { return joints }
    var ordered: [(position: Position, index: Int)] = []
    for (index, command) in joints.enumerated() {
      guard let joint = command.creation.joint else {
        ordered.append((.start, index))
        continue
      }
      let needs = SnapshotNeeds(ids: Set(joint.inputs.map(\.entityID)))
      let settlements = try await engine.read(needs: needs) { state in
        try joint.inputs.compactMap { try state.readablePromise($0)?.settlement }
      }
      let deciding = settlements.filter { joint.rule.isDecided(byFulfilment: $0.isFulfilment) }
      // If all inputs failed, the first one counts.
      let isComplete = settlements.count == joint.inputs.count
      let first = (deciding.isEmpty && isComplete ? settlements : deciding).map(\.position).min()
      ordered.append((first ?? Position(rawValue: .max), index))
    }
    return ordered.sorted { $0 < $1 }.map { joints[$0.index] }
  }

  func requireOwn<Value: Sendable>(_ promises: [DurablePromise<Value>]) throws(LedgerError) {
    guard let other = promises.first(where: { $0.ledgerID.map { $0 != id } ?? false }) else {
      return
    }
    throw LedgerError(
      .invalidArgument,
      "Promise \(other.id) belongs to another ledger. Join promises of one ledger.")
  }

  /// The codec of the values of promises.
  func codec<Value: Sendable>(
    of promises: [DurablePromise<Value>]
  ) throws(LedgerError) -> PayloadCodec<Value> {
    if let first = promises.first { return first.codec }
    return try configuration.codecs.codec(for: Value.self)
  }
}
