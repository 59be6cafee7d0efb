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
  ///   - name: The name of the child among the steps of this work; the kind if `nil`. Never change it while work
  ///     runs, except with `formerly`, or, for the kind, with ``LedgerWork/formerKinds``.
  ///   - key: A text that distinguishes steps of one name.
  ///   - formerly: Former names of the child, the newest first.
  ///   - time: The time at which the child becomes due; `nil` for at once.
  ///   - options: The priority, lane, limits and retry policy of the child.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: The time at which the child's promise times out.
  /// - Returns: The promise of the child's result. Its id follows from the promise of this work, the name and the
  ///   key.
  /// - Throws: ``StepFailure`` if the work was cancelled; ``WorkSuspended``; otherwise as
  ///   ``Ledger/start(_:_:key:at:options:lifetime:label:tags:deadline:)``. A child of another kind or type than
  ///   before parks the work: give it another name, and call ``Ledger/retryWork(_:)``.
  @discardableResult
  public func start<Work: LedgerWork>(
    _ type: Work.Type, _ arguments: HandlerArguments = [:], name: String? = nil,
    key: String? = nil, formerly: [String] = [], at time: Timestamp? = nil,
    options: WorkOptions = WorkOptions(), label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil
  ) async throws -> DurablePromise<Work.Output> {
    let ledger = ledger
    let codec = try ledger.configuration.codecs.codec(for: Work.Output.self)
    let former = formerly + (name == nil ? Work.formerKinds : [])
    return try await driver.child(name ?? Work.kind, key: key, formerly: former, codec) {
      childKey, parent in
      _ = try await ledger.start(
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
  ///   - name: The name of the children among the steps of this work; the kind if `nil`. As for one child, never change
  ///     it while work runs, except with `formerly`.
  ///   - keys: A text for each child that distinguishes it from the others. Without keys, children of one name are
  ///     numbered in the order in which the code starts them.
  ///   - formerly: Former names of the children, the newest first.
  ///   - options: The priority, lane, limits and retry policy of the children.
  /// - Returns: The promises of the results, in the order of the arguments.
  /// - Throws: As ``start(_:_:name:key:formerly:at:options:label:tags:deadline:)``, and `invalidArgument` if the numbers of
  ///   arguments and keys differ.
  @discardableResult
  public func startAll<Work: LedgerWork>(
    _ type: Work.Type, _ arguments: [HandlerArguments], name: String? = nil,
    keys: [String]? = nil, formerly: [String] = [], options: WorkOptions = WorkOptions()
  ) async throws -> [DurablePromise<Work.Output>] {
    try LedgerError.requireSame(arguments.count, keys?.count)
    var children: [DurablePromise<Work.Output>] = []
    for (index, arguments) in arguments.enumerated() {
      children.append(
        try await start(
          type, arguments, name: name, key: keys?[index], formerly: formerly, options: options))
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
  ///   - formerly: Former names of the promise, the newest first.
  ///   - type: The type of its value.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: The time at which it times out.
  /// - Returns: The promise. Its id follows from the promise of this work, the name and the key.
  /// - Throws: As ``start(_:_:name:key:formerly:at:options:label:tags:deadline:)``.
  public func promise<Value: Sendable>(
    _ name: String, key: String? = nil, formerly: [String] = [],
    of type: Value.Type = Value.self, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil
  ) async throws -> DurablePromise<Value> {
    let ledger = ledger
    let codec = try ledger.configuration.codecs.codec(for: type)
    return try await driver.child(name, key: key, formerly: formerly, codec) { childKey, parent in
      let creation = PromiseCreated(
        typeTag: codec.typeTag, key: childKey.text, label: label, tags: tags, deadline: deadline,
        idempotencyKey: childKey.text, lifetime: .untilSettled, parent: parent.id)
      try creation.checkLimits()
      let command = CreatePromise(
        id: childKey.promiseID, creation: creation, isStrict: false,
        formerTypeTags: codec.formerTypeTags, parentAttempt: parent.attempt)
      if case .conflict(let entity) = try await ledger.engine.submit(command) {
        throw LedgerError.createdByAnother(entity.name)
      }
    }
  }
}

extension WorkDriver {
  /// Creates the promise of a child, unless it exists.
  typealias ChildCreation = @Sendable (PromiseKey, WorkParent) async throws -> Void

  /// Finds a promise that belongs to the work, or creates it.
  ///
  /// - Parameter former: Former names of the child.
  func child<Value: Sendable>(
    _ name: String, key: String?, formerly former: [String] = [], _ codec: PayloadCodec<Value>,
    _ create: @escaping ChildCreation
  ) async throws -> DurablePromise<Value> {
    for name in former { try TextLimit.stepName.check(name) }
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
      // What has a former name may also be a step.
      for name in former {
        let kept = try flow.cancellation(of: StepIdentity(name, step.distinction))
        guard let kept, kept.outcome == .cancelled else { continue }
        throw StepFailure(kept.identity, .cancelled(reason: try await reason(kept)))
      }
      let keys = try promiseKeys(of: step, formerly: former)
      try await takeUp()
      let found = try await found(keys)
      if let found {
        guard codec.reads(found.typeTag) else {
          throw park(
            StepMisuse.otherChildType(step, recorded: found.typeTag, expected: codec.typeTag))
        }
      } else if try flow.takeCancellation() {
        throw try await cancel(step)
      }
      let childKey = found?.key ?? keys[0]
      guard try await creates(childKey, step, create) else { throw try await cancel(step) }
      return DurablePromise(id: childKey.promiseID, ledger: ledger, codec: codec)
    }
  }

  /// The first of some children that exists, and the type of its values.
  private func found(_ keys: [PromiseKey]) async throws -> (key: PromiseKey, typeTag: String)? {
    try await ledger.patiently("a child of work cannot be read yet") {
      try await ledger.engine.read { state in
        for key in keys {
          if let entity = try state.promise(key.promiseID) { return (key, try entity.typeTag()) }
        }
        return nil
      }
    }
  }

  /// - Returns: Whether the child exists now; not if the code must learn of a cancellation instead.
  private func creates(
    _ key: PromiseKey, _ step: StepIdentity, _ create: @escaping ChildCreation
  ) async throws -> Bool {
    flow.beginCommand()
    defer { flow.endCommand() }
    while true {
      let parent = WorkParent(id: id, attempt: flow.attempt)
      do {
        try await Task.detached { [self] in
          try await ledger.patiently("a child of work cannot be created yet") {
            try await create(key, parent)
          }
        }.value
        return true
      } catch let error as LedgerError where error.childRefusal == .parentCancelled {
        flow.noteCancelRequest()
        return false
      } catch let error as LedgerError where error.code == .superseded {
        // Perhaps another part of the code took the work up after a freeze.
        guard error.childRefusal == .attemptEnded,
          await flow.newerAttempt(than: parent.attempt) != nil
        else {
          flow.end()
          throw WorkSuspended()
        }
      } catch let error as LedgerError where error.code == .conflict {
        throw park(StepMisuse.otherChild(step))
      }
    }
  }
}

extension WorkDriver {
  /// The keys of the promise of a child, by its present and its former names. A child that the work cannot have
  /// parks it.
  private func promiseKeys(
    of step: StepIdentity, formerly former: [String]
  ) throws -> [PromiseKey] {
    let maximum = ledger.configuration.hooks.maximumChildCount ?? WorkFlow.maximumChildCount
    guard flow.noteChild(step, maximum: maximum) else {
      throw park(StepMisuse.tooManyChildren(step, maximum: maximum))
    }
    do throws(LedgerError) {
      // There is no child whose former key is too long.
      let formerKeys = former.compactMap { name in
        try? PromiseKey(childOf: id, StepIdentity(name, step.distinction))
      }
      return [try PromiseKey(childOf: id, step)] + formerKeys
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
