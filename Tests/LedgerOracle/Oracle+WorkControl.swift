// MARK: - Cancelling

extension Oracle {
  mutating func cancel(_ id: Int) throws(Refusal) -> Answer {
    timeOutIfDue(id)
    guard let promise = try known(id) else { return .notFound }
    guard promise.isComputed else { throw .invalidArgument }
    guard promise.isPending else { return .ended }
    let isSettled = cancel(id, promise, 1)
    cancelChildren(of: id, 1)
    return isSettled ? .cancelled : .requested
  }

  /// - Returns: Whether the promise is settled; not if code must end first.
  mutating func cancel(_ id: Int, _ promise: Promise, _ reason: Int) -> Bool {
    let mustEnd =
      switch promise.phase {
      case .running: true
      case .waiting: promise.progress?.mayUndo ?? false
      case .parked, nil: false
      }
    guard mustEnd else {
      settle(id, .cancelled, .reason(reason))
      return true
    }
    if promise.progress?.cancelRequest == nil {
      advance(id, .workCancelRequested) { $0.cancelRequest = CancelRequest($1, reason) }
    }
    return false
  }

  private mutating func cancelChildren(of parent: Int, _ reason: Int) {
    var parents = [parent]
    while !parents.isEmpty {
      let children = parents.flatMap { parent in
        ids { $0.creation.parent == parent && $0.isPending }
      }
      parents = []
      for id in children {
        guard let child = promises[id], child.work != nil, child.isPending,
          child.progress?.cancelRequest == nil, cancellation(ofParentOf: child) != nil
        else { continue }
        _ = cancel(id, child, reason)
        parents.append(id)
      }
    }
  }

  /// The reason for which the parent was cancelled after the child was created.
  func cancellation(ofParentOf child: Promise) -> Int? {
    guard let parent = child.creation.parent.flatMap({ promises[$0] }) else { return nil }
    if let request = parent.progress?.cancelRequest {
      return request.position > child.created ? request.reason : nil
    }
    guard let resolution = parent.resolution, resolution.outcome == .cancelled,
      resolution.position > child.created, case .reason(let reason) = resolution.content
    else { return nil }
    return reason
  }
}

// MARK: - Operators

extension Oracle {
  mutating func amend(_ id: Int, _ amendment: Amendment) throws(Refusal) -> Answer {
    timeOutIfDue(id)
    guard let promise = try known(id) else { return .notFound }
    guard promise.work != nil else { throw .invalidArgument }
    guard let phase = promise.phase else { return .ended }
    if amendment.parking == .parked, case .running(let runner) = phase { return .by(runner) }
    try requireAwaited(by: amendment.trigger, of: id)
    if let awaited = amendment.trigger?.awaited, waits(awaited, on: id) { throw .invalidArgument }
    advance(id, .workAmended) { progress, position in
      if let trigger = amendment.trigger { progress.trigger = trigger }
      if let options = amendment.options { progress.options = options }
      switch amendment.parking {
      case .unchanged: break
      case .parked: progress.parking = position
      case .resumed:
        (progress.parking, progress.failures, progress.deaths) = (nil, 0, 0)
        progress.stepFailures = []
      }
    }
    return .amended
  }

  /// Whether promises cannot be settled before another one, by themselves or by way of others.
  private func waits(_ ids: [Int], on id: Int) -> Bool {
    var seen = Set(ids)
    var new = ids
    while let next = new.popLast() {
      for required in required(by: next) where seen.insert(required).inserted {
        new.append(required)
      }
    }
    return seen.contains(id)
  }

  /// The promises without which a pending one is not settled by itself.
  private func required(by id: Int) -> [Int] {
    guard let promise = promises[id], promise.isPending else { return [] }
    if let (rule, inputs) = promise.joint {
      let needsAll = rule == .all || rule == .allSettled
      return needsAll || inputs.count == 1 ? inputs : []
    }
    switch promise.waitingTrigger {
    case .after(let awaited, _): return [awaited]
    case .firstOf(let condition) where condition.time == nil && condition.promises.count == 1:
      return condition.promises
    default: return []
    }
  }

  mutating func retry(_ id: Int) throws(Refusal) -> Answer {
    var amendment = Amendment()
    (amendment.parking, amendment.trigger) = (.resumed, .now)
    if let promise = promises[id], promise.progress?.start == nil,
      case .after? = promise.work?.trigger
    {
      amendment.trigger = nil
    }
    let answer = try amend(id, amendment)
    guard answer == .amended, case .after(let awaited, _)? = promises[id]?.waitingTrigger,
      takeOver(awaited, id)
    else { return answer }
    settleFollowers(of: [id])
    return .ended
  }
}
