import Logging

extension LedgerCall where Subject == CalledWork {
  /// Starts other work at once: a child of this work, whose promise every attempt finds again.
  ///
  /// The child is due independently of this work, which waits only for what it awaits:
  ///
  /// ```swift
  /// let shipped = try await call.start(Ship.self, ["order": order])
  /// try await call.step("announce") { _ in try await shop.announce(order) }
  /// let parcel = try await call.value(of: shipped)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type with the code. This session need not know the kind.
  ///   - arguments: The arguments of the code. They count when the child is first started.
  ///   - name: The name of the child among the steps of this work; the kind if `nil`.
  ///   - key: A text that distinguishes steps of one name.
  ///   - time: The time at which the child becomes due; `nil` for at once.
  ///   - options: The priority, lane, limits and retry policy of the child.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: The time at which the child's promise times out.
  /// - Returns: The promise of the child's result. Its id follows from the promise of this work, the name and the
  ///   key.
  /// - Throws: ``StepFailure`` if the work was cancelled; ``WorkSuspended``; otherwise as
  ///   ``Ledger/start(_:_:key:at:options:lifetime:label:tags:deadline:)``.
  @discardableResult
  public func start<Work: LedgerWork>(
    _ type: Work.Type, _ arguments: HandlerArguments = [:], name: String? = nil,
    key: String? = nil, at time: Timestamp? = nil, options: WorkOptions = WorkOptions(),
    label: String? = nil, tags: [String] = [], deadline: Timestamp? = nil
  ) async throws -> DurablePromise<Work.Output> {
    let ledger = ledger
    return try await driver.child(name ?? Work.kind, key: key) { childKey, parent in
      try await ledger.start(
        WorkOrder(
          type, arguments, trigger: time.map(WorkTrigger.at) ?? .now, key: childKey,
          options: options, lifetime: .untilSettled, label: label, tags: tags, deadline: deadline,
          parent: parent))
    }
  }

  /// Starts other work, one child for each set of arguments, whose promises every attempt finds again.
  ///
  /// - Parameters:
  ///   - type: The type with the code. This session need not know the kind.
  ///   - arguments: The arguments of each child. They count when it is first started.
  ///   - name: The name of the children among the steps of this work; the kind if `nil`.
  ///   - keys: A text for each child that distinguishes it from the others. Without keys, children of one name are
  ///     numbered in the order in which the code starts them.
  ///   - options: The priority, lane, limits and retry policy of the children.
  /// - Returns: The promises of the results, in the order of the arguments.
  /// - Throws: As ``start(_:_:name:key:at:options:label:tags:deadline:)``, and `invalidArgument` if the numbers of
  ///   arguments and keys differ.
  @discardableResult
  public func startAll<Work: LedgerWork>(
    _ type: Work.Type, _ arguments: [HandlerArguments], name: String? = nil,
    keys: [String]? = nil, options: WorkOptions = WorkOptions()
  ) async throws -> [DurablePromise<Work.Output>] {
    try LedgerError.requireSame(arguments.count, keys?.count)
    var children: [DurablePromise<Work.Output>] = []
    for (index, arguments) in arguments.enumerated() {
      children.append(
        try await start(
          type, arguments, name: name, key: keys?[index], options: options))
    }
    return children
  }

  /// Creates a promise that is settled from outside, such as the answer of a person: every attempt finds it again.
  ///
  /// Its outcome needs no consumption.
  ///
  /// - Parameters:
  ///   - name: The name of the promise among the steps of the work.
  ///   - key: A text that distinguishes steps of one name.
  ///   - type: The type of its value.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: The time at which it times out.
  /// - Returns: The promise. Its id follows from the promise of this work, the name and the key.
  /// - Throws: As ``start(_:_:name:key:at:options:label:tags:deadline:)``.
  public func promise<Value: Sendable>(
    _ name: String, key: String? = nil, of type: Value.Type = Value.self, label: String? = nil,
    tags: [String] = [], deadline: Timestamp? = nil
  ) async throws -> DurablePromise<Value> {
    let ledger = ledger
    return try await driver.child(name, key: key) { childKey, parent in
      let codec = try ledger.configuration.codecs.codec(for: type)
      let creation = PromiseCreated(
        typeTag: codec.typeTag, key: childKey.text, label: label, tags: tags, deadline: deadline,
        idempotencyKey: childKey.text, lifetime: .untilSettled, parent: parent)
      try creation.checkLimits()
      let command = CreatePromise(
        id: childKey.promiseID, creation: creation, isStrict: false,
        formerTypeTags: codec.formerTypeTags)
      if case .conflict(let entity) = try await ledger.engine.submit(command) {
        throw LedgerError.createdByAnother(entity.name)
      }
      return DurablePromise(id: childKey.promiseID, ledger: ledger, codec: codec)
    }
  }
}

extension WorkDriver {
  /// Creates a promise that belongs to the work, or finds it.
  func child<Value: Sendable>(
    _ name: String, key: String?,
    _ create: @escaping @Sendable (PromiseKey, PromiseID) async throws -> DurablePromise<Value>
  ) async throws -> DurablePromise<Value> {
    switch try begin(name, key: key, isToldOfCancellation: false) {
    case .finished(let step):
      guard step.outcome == .cancelled else {
        throw park(StepMisuse.noChild(step.identity))
      }
      throw StepFailure(step.identity, .cancelled(reason: try await reason(step)))
    case .cancelled(let step): throw try await cancel(step)
    case .new(let step):
      defer {
        flow.end(step)
        suspendIfAllWaits()
      }
      let childKey = try promiseKey(of: step)
      try await takeUp()
      let exists = try await ledger.patiently("a child of work cannot be read yet") {
        try await ledger.engine.read { try $0.promise(childKey.promiseID) != nil }
      }
      if !exists, try flow.takeCancellation() { throw try await cancel(step) }
      do {
        return try await Task.detached { [self] in
          try await ledger.patiently("a child of work cannot be created yet") {
            try await create(childKey, id)
          }
        }.value
      } catch let error as LedgerError where error.code == .superseded {
        flow.end()
        throw WorkSuspended()
      }
    }
  }
}

extension WorkDriver {
  /// The key of the promise of a child. A child that the work cannot have parks it.
  private func promiseKey(of step: StepIdentity) throws -> PromiseKey {
    let maximum = ledger.configuration.hooks.maximumChildCount ?? WorkFlow.maximumChildCount
    guard flow.noteChild(step, maximum: maximum) else {
      throw park(StepMisuse.tooManyChildren(step, maximum: maximum))
    }
    do throws(LedgerError) {
      return try PromiseKey(childOf: id, step)
    } catch {
      throw park(StepMisuse.longChild(step, error))
    }
  }
}

extension PromiseKey {
  /// The key of a promise that belongs to work: the id of the work's promise, the name, and `=KEY` or `#NUMBER`.
  fileprivate init(childOf parent: PromiseID, _ step: StepIdentity) throws(LedgerError) {
    // Escaped, so that no two steps have the same key.
    let name = step.name.flatMap { $0 == "%" ? "%25" : $0 == "/" ? "%2F" : String($0) }
    let distinction =
      switch step.distinction {
      case .key(let key): "=\(key)"
      case .occurrence(let number): "#\(number)"
      }
    try self.init("\(parent)/\(String(name))/\(distinction)")
  }
}
