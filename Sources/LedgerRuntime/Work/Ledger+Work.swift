extension Ledger {
  /// Starts work: code that a runner runs until it is done, and whose result settles the returned promise.
  ///
  /// The work is durable when the method returns. If a runner of this session has room, the same commit starts its
  /// first attempt. It does not run in this process unless this process has a
  /// ``LedgerRunner`` and knows the kind; any other process with a runner that knows it may run it too.
  ///
  /// - Parameters:
  ///   - type: The type with the code. This session need not know the kind.
  ///   - arguments: The arguments of the code.
  ///   - key: A key, from which the id of the promise is then derived: the same key starts the work only
  ///     once, in every process.
  ///   - time: The time at which the work becomes due; `nil` for at once.
  ///   - options: The priority, lane, limits and retry policy of the work.
  ///   - lifetime: The time up to which the promise is open. By default, its outcome needs no consumption.
  ///     Choose ``PromiseCreated/Lifetime/untilConsumed`` for an outcome that a person must see, even after
  ///     the app was killed.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: The time at which the promise times out, even while the code runs.
  /// - Returns: The promise of the result. If the work was started before, the existing promise.
  /// - Throws: ``LedgerError`` with `encodingFailed`, `payloadTooLarge`, `invalidArgument`, including for a
  ///   name that is not a parameter, `argumentMissing`, `argumentMismatch` or `decodingFailed` for arguments
  ///   with which the code could never run, `conflict` if another request created the promise with this key,
  ///   `recordRemoved` if its record was removed, `ledgerFull`, `diskFull`, `writerStalled`;
  ///   `CancellationError`.
  @discardableResult
  public func start<Work: LedgerWork>(
    _ type: Work.Type, _ arguments: HandlerArguments = [:], key: PromiseKey? = nil,
    at time: Timestamp? = nil, options: WorkOptions = WorkOptions(),
    lifetime: PromiseCreated.Lifetime = .untilSettled, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil
  ) async throws -> DurablePromise<Work.Output> {
    let order = WorkOrder(
      type, arguments, trigger: time.map(WorkTrigger.at) ?? .now, key: key, options: options,
      lifetime: lifetime, label: label, tags: tags, deadline: deadline)
    return try await start(order)
  }

  /// Starts work from an instance of its type, whose properties are the arguments.
  ///
  /// - Parameter work: The instance. It is encoded immediately and never run: an attempt runs an instance
  ///   that is decoded from the ledger.
  /// - Throws: As ``start(_:_:key:at:options:lifetime:label:tags:deadline:)``.
  @discardableResult
  public func start<Work: LedgerWork>(
    _ work: Work, key: PromiseKey? = nil, at time: Timestamp? = nil,
    options: WorkOptions = WorkOptions(),
    lifetime: PromiseCreated.Lifetime = .untilSettled, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil
  ) async throws -> DurablePromise<Work.Output> {
    try await start(
      Work.self, HandlerArguments(encoding: work), key: key, at: time, options: options,
      lifetime: lifetime, label: label, tags: tags, deadline: deadline)
  }

  /// Starts work many times, with other arguments each time. Much of it shares a commit.
  ///
  /// ```swift
  /// let thumbnails = try await ledger.startAll(
  ///   Thumbnail.self, images.map { ["image": $0] }, keys: images.map { try PromiseKey($0) },
  ///   options: WorkOptions(lane: try WorkLane("thumbnails", width: 8)))
  /// ```
  ///
  /// If it fails, some of the work may have been started. With keys, repeat the call.
  ///
  /// - Parameters:
  ///   - type: The type with the code. This session need not know the kind.
  ///   - arguments: The arguments of the code, each time.
  ///   - keys: A key each time, from which the id of the promise is then derived: the same key starts the work
  ///     only once.
  ///   - options: The priority, lane, limits and retry policy of the work.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  /// - Returns: The promises of the results, in the order of the arguments.
  /// - Throws: As ``start(_:_:key:at:options:lifetime:label:tags:deadline:)``, and `invalidArgument` if the numbers
  ///   of arguments and keys differ.
  @discardableResult
  public func startAll<Work: LedgerWork>(
    _ type: Work.Type, _ arguments: [HandlerArguments], keys: [PromiseKey]? = nil,
    options: WorkOptions = WorkOptions(), tags: [String] = []
  ) async throws -> [DurablePromise<Work.Output>] {
    try LedgerError.requireSame(arguments.count, keys?.count)
    var promises: [DurablePromise<Work.Output>] = []
    promises.reserveCapacity(arguments.count)
    for indices in arguments.indices.slices(of: Self.startedTogetherCount) {
      var parts: [CreateTogether.Part] = []
      for index in indices {
        let order = WorkOrder(
          type, arguments[index], trigger: .now, key: keys?[index], options: options,
          lifetime: .untilSettled, label: nil, tags: tags, deadline: nil)
        let (command, promise) = try creation(of: order)
        parts.append(.promise(command))
        promises.append(promise)
      }
      try await engine.submit(CreateTogether(parts))
    }
    return promises
  }

  /// The amount of work that one commit starts.
  private static var startedTogetherCount: Int { 64 }

  func start<Work: LedgerWork>(
    _ order: WorkOrder<Work>
  ) async throws -> DurablePromise<Work.Output> {
    let (command, promise) = try creation(of: order)
    let answer: CreatePromise.Answer
    if order.trigger == .now, let loop = activeRunner.loop,
      loop.reserve(command.id, kind: Work.kind)
    {
      answer = try await loop.create(command)
    } else {
      answer = try await engine.submit(command)
    }
    switch answer {
    case .created, .deduplicated: return promise
    case .conflict(let entity): throw LedgerError.createdByAnother(entity.name)
    }
  }

  func creation<Work: LedgerWork>(
    of order: WorkOrder<Work>
  ) throws(LedgerError) -> (CreatePromise, DurablePromise<Work.Output>) {
    let codec = try configuration.codecs.codec(for: Work.Output.self)
    try TextLimit.handlerKind.check(Work.kind)
    try order.options.check()
    let id = order.key?.promiseID ?? PromiseID(entityID: makeID())
    let name = CodeName.work(id, kind: Work.kind)
    let arguments = try stored(order.arguments, of: name).withoutErased()
    try check(arguments, of: name, for: order)
    let creation = PromiseCreated(
      typeTag: codec.typeTag, key: order.key?.text, label: order.label, tags: order.tags,
      deadline: order.deadline, idempotencyKey: order.key?.text, lifetime: order.lifetime,
      parent: order.parent?.id,
      source: .work(
        PromiseCreated.Work(
          kind: Work.kind, trigger: order.trigger, options: order.options,
          references: arguments.references, arguments: arguments.arguments)))
    try creation.checkLimits()
    return (
      CreatePromise(
        id: id, creation: creation, isStrict: false, formerTypeTags: codec.formerTypeTags,
        formerKinds: Work.formerKinds, parentAttempt: order.parent?.attempt),
      DurablePromise(id: id, ledger: self, codec: codec)
    )
  }

  /// Rejects arguments with which the code could never run.
  private func check<Work: LedgerWork>(
    _ arguments: ArgumentSet, of name: CodeName, for order: WorkOrder<Work>
  ) throws(LedgerError) {
    let source = ArgumentSource(handler: name, bound: arguments.arguments, given: .none)
    // The outcome of an awaited promise is added when the work runs.
    let isComplete = order.trigger.awaited.isEmpty
    let probe = source.probe(Work.self, in: self, isComplete: isComplete)
    for argument in source.names where !probe.mayHaveParameter(argument) {
      throw source.unknown(argument, probe, nil)
    }
    if let problem = probe.problem { throw problem }
  }

  // MARK: Operating

  /// Cancels work and the work that its code has started, or a joint.
  ///
  /// A joint is cancelled at once, and its inputs go on. So is work that is parked, and work that has neither finished
  /// a step nor waited, unless its code is running. Otherwise the request is recorded, and the code learns of it in
  /// whatever process it runs. The task of code that has begun neither steps nor waits is cancelled. Other code learns
  /// of the request from its steps and waits, which throw ``StepFailure``; if it is not running, it runs once more. If
  /// the code passes the error on, the promise is cancelled. If it returns, the promise is fulfilled. If something that
  /// it does to undo its work fails for good, the promise is rejected.
  ///
  /// One commit cancels up to 256 children, and further commits cancel the others. If the method throws, the work may
  /// be cancelled but some of its children not. Call it again to cancel those; otherwise they are cancelled when they
  /// become due.
  ///
  /// - Parameters:
  ///   - id: The promise of the work.
  ///   - reason: The reason, at most 2,048 bytes of UTF-8.
  /// - Throws: ``LedgerError`` with `invalidArgument` if the promise is not settled by code: resolve or abandon
  ///   it instead; `recordRemoved` if its record was removed; `ledgerFull`: compact the ledger, or raise the
  ///   limit; `diskFull`, `writerStalled`: try again.
  @discardableResult
  public func cancelWork(_ id: PromiseID, reason: String = "") async throws -> WorkCancellation {
    try TextLimit.reason.check(reason)
    switch try await engine.submit(CancelWork(id: id, reason: reason)) {
    case .cancelled(let entity, let parents):
      try await cancelChildren(of: parents)
      return .cancelled(try await records.promiseRecord(of: entity))
    case .requested(let entity, let parents):
      try await cancelChildren(of: parents)
      return .requested(try await records.promiseRecord(of: entity))
    case .ended(let entity):
      // An earlier call may have been cut short.
      if entity.resolution?.outcome == .cancelled { try await cancelChildren(of: [id]) }
      return .alreadyEnded(try await records.promiseRecord(of: entity))
    case .notFound: return .notFound
    }
  }

  /// Cancels the work that cancelled work has started, and in turn its children.
  private func cancelChildren(of parents: [PromiseID]) async throws {
    var parents = Array(parents.reversed())
    while let parent = parents.popLast() {
      var last: PromiseID?
      repeat {
        let answer = try await engine.submit(CancelChildren(of: parent, after: last))
        parents += answer.parentsLeft
        last = answer.last
      } while last != nil
    }
  }

  /// Makes work due at once: work that is parked, or that waits for a time or its next attempt. Work that waits
  /// for a promise and has not started waits on.
  ///
  /// Failures and deaths of its process are counted from 0 again.
  ///
  /// - Throws: As ``cancelWork(_:reason:)``.
  @discardableResult
  public func retryWork(_ id: PromiseID) async throws -> WorkAmendment {
    try await amend(RetryWork(id: id))
  }

  /// Keeps work from being run until an operator resumes it with ``retryWork(_:)``.
  ///
  /// - Throws: As ``cancelWork(_:reason:)``.
  @discardableResult
  public func parkWork(_ id: PromiseID) async throws -> WorkAmendment {
    try await amend(AmendWork(id: id, WorkAmended(parking: .parked)))
  }

  /// Settles a promise in place of its code, at once and even while the code runs.
  ///
  /// The result of code that runs is then refused, with all its effects on the ledger. Use it only if the code
  /// cannot do its work: ``cancelWork(_:reason:)`` lets the code undo what it has done.
  ///
  /// A promise that is not settled by code is resolved as by
  /// ``resolve(_:with:idempotencyKey:strict:)``.
  ///
  /// - Parameters:
  ///   - outcome: The outcome. A value must be encoded as the type of the promise, ``PromiseRecord/typeTag``.
  ///   - id: The promise.
  /// - Returns: The result of the request, once it is durable.
  /// - Throws: ``LedgerError`` with `typeMismatch` if the promise has another type: encode a value of its
  ///   type; `invalidArgument` for ``PromiseOutcome/timedOut``: only a deadline times a promise out;
  ///   `payloadTooLarge`, `recordRemoved` if its record was removed; `ledgerFull`: compact the ledger, or raise
  ///   the limit; `diskFull`, `writerStalled`: try again.
  @discardableResult
  public func forceOutcome(
    _ outcome: PromiseOutcome<StoredValue>, of id: PromiseID
  ) async throws -> PromiseResolution {
    try await resolve(
      id, with: outcome, formerTypeTags: [], idempotencyKey: nil, strict: true, isForced: true)
  }

  private func amend(_ command: some Command<AmendWork.Answer>) async throws -> WorkAmendment {
    switch try await engine.submit(command) {
    case .amended(let entity): return .amended(try await records.promiseRecord(of: entity))
    case .running(let session): return .running(in: session)
    case .ended(let entity): return .alreadyEnded(try await records.promiseRecord(of: entity))
    case .notFound: return .notFound
    }
  }

  /// The open promises that code settles, in the order of their creation.
  ///
  /// - Parameter kind: If given, only work of this kind, under its present name or a former one.
  /// - Throws: ``LedgerError`` with `closed`: open the ledger again; `frozen` if
  ///   ``LedgerConfiguration/waitsWhileFrozen`` is false: unfreeze it; `corrupt`: restore it from a copy.
  /// - Complexity: O(n log n) in their number.
  public func openWork(ofKind kind: String? = nil) async throws -> [PromiseRecord] {
    let names = kind.map { Set(configuration.handlers[work: $0]?.names ?? [$0]) }
    let open = try await engine.read(fromCopy: true) { state in
      try state.openWork().filter { entity in
        guard let names else { return true }
        return try entity.creation().work.map { names.contains($0.kind) } ?? false
      }
    }
    return try await records.promiseRecords(of: open)
  }
}

extension LedgerError {
  /// Refuses lists of arguments and keys of different lengths.
  static func requireSame(_ argumentsCount: Int, _ keyCount: Int?) throws(LedgerError) {
    guard let keyCount, keyCount != argumentsCount else { return }
    throw LedgerError(
      .invalidArgument,
      "There are \(argumentsCount) sets of arguments, but \(keyCount) keys. Give one key for each.")
  }
}

/// A request to start work.
struct WorkOrder<Work: LedgerWork> {
  let arguments: HandlerArguments
  let trigger: WorkTrigger
  let key: PromiseKey?
  let options: WorkOptions
  let lifetime: PromiseCreated.Lifetime
  let label: String?
  let tags: [String]
  let deadline: Timestamp?
  let parent: WorkParent?

  init(
    _ type: Work.Type, _ arguments: HandlerArguments, trigger: WorkTrigger, key: PromiseKey?,
    options: WorkOptions, lifetime: PromiseCreated.Lifetime, label: String?, tags: [String],
    deadline: Timestamp?, parent: WorkParent? = nil
  ) {
    self.arguments = arguments
    self.trigger = trigger
    self.key = key
    self.options = options
    self.lifetime = lifetime
    self.label = label
    self.tags = tags
    self.deadline = deadline
    self.parent = parent
  }
}

extension WorkOptions {
  fileprivate func check() throws(LedgerError) {
    guard let attemptTimeout, attemptTimeout < .nanoseconds(1) else { return }
    throw LedgerError(
      .invalidArgument,
      "An attempt of the work may take \(attemptTimeout); it must be at least a nanosecond. Leave the limit out for work without one."
    )
  }
}
