extension Oracle.Promise {
  package enum Status: Int, Hashable, Sendable { case pending, resolved, consumed, abandoned }

  package var status: Status {
    switch closing {
    case .consumed: .consumed
    case .abandoned: .abandoned
    case nil: resolution == nil ? .pending : .resolved
    }
  }

  package var isPending: Bool { status == .pending }

  /// Whether nothing more can happen to it.
  package var isOver: Bool { closing != nil || resolution != nil && creation.endsWhenSettled }

  package var work: Oracle.Work? { if case .work(let work) = creation.source { work } else { nil } }

  package var joint: (rule: Oracle.Rule, inputs: [Int])? {
    if case .joint(let rule, let inputs) = creation.source { (rule, inputs) } else { nil }
  }

  package var isComputed: Bool { creation.source != .outside }

  package var lastPosition: Int {
    max(
      created, progress?.lastPosition ?? 0, resolution?.position ?? 0, closing?.position ?? 0)
  }

  /// The outcome; `nil` if it was abandoned while it was pending.
  var outcome: Oracle.Outcome? { resolution?.outcome }

  /// Where it was settled, if it was.
  var settledAt: Int? { resolution?.position ?? closing?.position }
}

// MARK: - Commands on promises

extension Oracle {
  /// A promise; `nil` if there never was one.
  func known(_ id: Int) throws(Refusal) -> Promise? {
    if let promise = promises[id] { return promise }
    if constants.isKeyed[id], removedPromises.contains(id) { throw .recordRemoved }
    return nil
  }

  @discardableResult
  mutating func timeOutDue() -> Int {
    func deadline(_ id: Int) -> Int { promises[id]?.creation.deadline ?? .max }
    let due = ids { $0.creation.deadline ?? .max <= now && $0.isPending }
      .sorted { left, right in
        let times = (deadline(left), deadline(right))
        return times.0 == times.1 ? isBefore(left, right) : times.0 < times.1
      }
    for id in due { timeOutIfDue(id) }
    return due.count
  }

  mutating func timeOutIfDue(_ id: Int) {
    guard let promise = promises[id], promise.isPending,
      let deadline = promise.creation.deadline, deadline <= now
    else { return }
    settle(id, promise.creation.isTimer ? .fulfilled : .timedOut, .none, at: deadline)
  }

  mutating func create(
    _ id: Int, _ creation: Creation, isStrict: Bool, adoptsAny: Bool = false
  ) throws(Refusal) -> Answer {
    timeOutIfDue(id)
    guard let promise = promises[id] else {
      _ = try known(id)
      try add(id, creation)
      return .created
    }
    if adoptsAny {
      guard promise.creation.type == creation.type else { throw .typeMismatch }
      return .deduplicated
    }
    let isSame =
      creation.key != nil && creation.key == promise.creation.key
      && isSameCode(creation, promise.creation)
    return isSame && (!isStrict || promise.isPending) ? .deduplicated : .conflict
  }

  private func isSameCode(_ left: Creation, _ right: Creation) -> Bool {
    switch (left.source, right.source) {
    case (.work(let left), .work(let right)): left.kind == right.kind
    case (.work, _), (_, .work): false
    default: left.source == right.source
    }
  }

  private mutating func add(_ id: Int, _ creation: Creation) throws(Refusal) {
    // Nothing would cancel a child of what has ended.
    if let parent = creation.parent.flatMap({ promises[$0] }), !parent.isPending {
      throw .superseded
    }
    switch creation.source {
    case .outside: add(unchecked: id, creation)
    case .work(let work):
      try requireAwaited(by: work.trigger, of: id)
      add(unchecked: id, creation)
      if case .after(let awaited, _) = work.trigger { _ = takeOver(awaited, id) }
    case .joint(_, let inputs):
      // A removed record is the first reason.
      for input in inputs { _ = try known(input) }
      guard inputs.allSatisfy({ promises[$0] != nil }) else { throw .notFound }
      add(unchecked: id, creation)
      _ = settleJointIfDecided(id)
    }
  }

  private mutating func add(unchecked id: Int, _ creation: Creation) {
    let creator = session
    set(id, .promiseCreated) { Promise(created: $0, creator: creator, creation) }
  }

  mutating func resolve(_ id: Int, _ resolve: Resolve) throws(Refusal) -> Answer {
    timeOutIfDue(id)
    guard let promise = try known(id) else { return .notFound }
    if promise.status == .abandoned { return .abandoned }
    guard let stored = promise.resolution else {
      if promise.isComputed, !resolve.isForced { throw .promiseIsComputed }
      if promise.joint != nil, resolve.outcome == .fulfilled { throw .invalidArgument }
      if let type = resolve.type, type != promise.creation.type { throw .typeMismatch }
      settle(id, resolve.outcome, resolve.content, key: resolve.key)
      return .resolved
    }
    if stored.outcome == .timedOut, !resolve.isStrict { return .deduplicated }
    let isSame = resolve.key != nil && resolve.key == stored.key
    return isSame && (!resolve.isStrict || resolve.outcome == stored.outcome)
      ? .deduplicated : .alreadyResolved
  }

  mutating func consume(_ id: Int) throws(Refusal) -> Answer {
    settleIfDue(id)
    let promise = try known(id)
    let needsConsumption = promise.map { !$0.creation.endsWhenSettled } ?? true
    if needsConsumption, role != .app { throw .roleMayNotConsume }
    guard let promise else { return .notFound }
    switch promise.closing {
    case .abandoned: return .abandoned
    case .consumed(_, let consumer): return consumer == session ? .consumed : .alreadyConsumed
    case nil: break
    }
    guard promise.resolution != nil else { return .pending }
    if needsConsumption {
      let consumer = session
      change(id, .promiseConsumed) { $0.closing = .consumed($1, by: consumer) }
    }
    return .consumed
  }

  mutating func abandon(_ id: Int) throws(Refusal) -> Answer {
    timeOutIfDue(id)
    guard let promise = try known(id) else { return .notFound }
    switch promise.status {
    case .consumed: return .alreadyConsumed
    case .abandoned: return .abandoned
    case .resolved where promise.creation.endsWhenSettled: return .alreadySettled
    case .pending, .resolved: break
    }
    change(id, .promiseAbandoned) { promise, position in
      promise.closing = .abandoned(position)
      promise.forgetSteps()
    }
    if promise.isPending { settleFollowers(of: [id]) }
    return .abandoned
  }

  mutating func look(_ id: Int) -> Answer {
    settleIfDue(id)
    return .flag(promises[id] != nil)
  }

  private mutating func settleIfDue(_ id: Int) {
    timeOutIfDue(id)
    if settleJointIfDecided(id) { settleFollowers(of: [id]) }
  }

  mutating func createTogether(
    _ id: Int, _ creation: Creation, _ handler: Int, _ handlerCreation: HandlerCreation
  ) throws(Refusal) -> Answer {
    if try create(id, creation, isStrict: false) == .conflict { throw .conflict }
    if try createHandler(handler, handlerCreation) == .exists {
      let bound = handlers[handler]?.creation.binding.promises ?? []
      guard handlerCreation.binding.promises.allSatisfy(bound.contains) else { throw .conflict }
    }
    return .done
  }
}

extension Oracle.Promise {
  /// No attempt needs any more what earlier ones did.
  mutating func forgetSteps() {
    progress?.awaited = []
    progress?.steps = []
    progress?.stepFailures = []
  }
}

extension Oracle.Resolve {
  package var content: Oracle.Content {
    if isLarge { return .large }
    return switch outcome {
    case .fulfilled: .value(value)
    case .rejected: .error(.user, value)
    case .cancelled, .timedOut: .reason(value)
    }
  }
}
