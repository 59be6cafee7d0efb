// MARK: - What follows from a settlement

extension Oracle {
  mutating func settle(
    _ id: Int, _ outcome: Outcome, _ content: Content, at time: Int? = nil, key: Int? = nil,
    attempt: Int? = nil, verdicts: [Verdict] = []
  ) {
    settleAlone(id, outcome, content, at: time, key: key, attempt: attempt, verdicts: verdicts)
    settleFollowers(of: [id])
  }

  private mutating func settleAlone(
    _ id: Int, _ outcome: Outcome, _ content: Content, at time: Int? = nil, key: Int? = nil,
    attempt: Int? = nil, verdicts: [Verdict] = []
  ) {
    let time = time ?? now
    change(id, .promiseResolved) { promise, position in
      var resolution = Resolution(position, outcome, at: time, content)
      (resolution.key, resolution.attempt, resolution.verdicts) = (key, attempt, verdicts)
      promise.resolution = resolution
      promise.forgetSteps()
    }
  }

  /// Settles joints, and work that awaits another settlement, in rounds.
  mutating func settleFollowers(of promises: [Int]) {
    var settled = promises
    while !settled.isEmpty {
      let causes = settled
      let excluded = causes.map { cause in (cause, excludedWork(by: cause)) }
      settled = settleJoints(of: causes)
      for (cause, work) in excluded {
        for id in work where takeOver(cause, id) { settled.append(id) }
      }
    }
  }

  /// The work that will never become due, because the promise was settled in another way.
  private func excludedWork(by id: Int) -> [Int] {
    let excluded: Settlement = promises[id]?.outcome == .fulfilled ? .failed : .fulfilled
    return ids { $0.waitingTrigger == .after(id, excluded) }
  }

  /// Settles work like the promise that it awaits, if that was settled in another way.
  ///
  /// - Returns: Whether the work was settled.
  mutating func takeOver(_ awaited: Int, _ id: Int) -> Bool {
    guard let promise = promises[awaited], !promise.isPending, let work = promises[id],
      case .after(awaited, let settlement)? = work.waitingTrigger,
      !settlement.includes(promise.outcome), work.creation.deadline ?? .max > now,
      let (outcome, content) = passedOn(promise, to: work.creation)
    else { return false }
    settleAlone(id, outcome, content)
    return true
  }

  /// The outcome that a computed promise takes over; `nil` if its content is stored elsewhere.
  private func passedOn(
    _ promise: Promise, to creation: Creation
  ) -> (outcome: Outcome, content: Content)? {
    guard let resolution = promise.resolution else { return (.cancelled, .reason(0)) }
    switch (resolution.content, resolution.outcome) {
    case (.large, _), (.joint, .fulfilled): return nil
    case (let content, .fulfilled):
      return promise.creation.type == creation.type
        ? (.fulfilled, content) : (.rejected, .error(.work, 2))
    case (_, .timedOut): return (.rejected, .error(.work, 1))
    case (let content, let outcome): return (outcome, content)
    }
  }

  mutating func follow(_ promise: Int, by ids: [Int]) -> Answer {
    settleFollowers(of: ids.filter { takeOver(promise, $0) })
    return .done
  }
}

extension Oracle.Settlement {
  func includes(_ outcome: Oracle.Outcome?) -> Bool {
    switch self {
    case .fulfilled: outcome == .fulfilled
    case .failed: outcome != .fulfilled
    case .any: true
    }
  }
}

// MARK: - Joints

extension Oracle {
  private mutating func settleJoints(of causes: [Int]) -> [Int] {
    let candidates = ids { $0.isPending && $0.joint != nil }.filter { id in
      guard let (rule, inputs) = promises[id]?.joint else { return false }
      return causes.contains { cause in
        inputs.contains(cause) && !waitsOn(rule, inputs, after: cause)
      }
    }
    return candidates.filter { settleJointIfDecided($0) }
  }

  /// Whether a joint is left to a later round, or to a runner: it waits for another input, whatever the outcome of this
  /// one is.
  private func waitsOn(_ rule: Rule, _ inputs: [Int], after cause: Int) -> Bool {
    let isFulfilled = promises[cause]?.outcome == .fulfilled
    switch (rule, isFulfilled) {
    case (.all, false), (.any, true), (.race, _): return false
    case (.all, true), (.any, false), (.allSettled, _): break
    }
    return inputs.contains { promises[$0]?.isPending ?? false }
  }

  mutating func settleJointIfDecided(_ id: Int) -> Bool {
    guard let promise = promises[id], promise.isPending, let (rule, inputs) = promise.joint,
      promise.creation.deadline ?? .max > now,
      let (outcome, content) = verdict(rule, inputs, promise.creation)
    else { return false }
    settleAlone(id, outcome, content)
    return true
  }

  private func verdict(
    _ rule: Rule, _ inputs: [Int], _ creation: Creation
  ) -> (outcome: Outcome, content: Content)? {
    // The inputs that are settled, in the order of their settlements.
    let settled = inputs.filter { promises[$0]?.settledAt != nil }
      .sorted { (promises[$0]?.settledAt ?? 0) < (promises[$1]?.settledAt ?? 0) }
    let isComplete = settled.count == inputs.count
    let good = settled.first { promises[$0]?.outcome == .fulfilled }
    let bad = settled.first { promises[$0]?.outcome != .fulfilled }
    func failing(_ input: Int) -> (outcome: Outcome, content: Content)? {
      promises[input].map { passedOn($0, to: creation) ?? (.rejected, .error(.work, 7)) }
    }
    switch rule {
    case .all:
      if let bad { return failing(bad) }
      return isComplete ? (.fulfilled, .joint(nil)) : nil
    case .allSettled: return isComplete ? (.fulfilled, .joint(nil)) : nil
    case .any:
      if let good { return (.fulfilled, .joint(good)) }
      return isComplete ? (.rejected, .error(.work, 6)) : nil
    case .race:
      guard let first = settled.first else { return nil }
      return first == good ? (.fulfilled, .joint(first)) : failing(first)
    }
  }

  mutating func settle(joints ids: [Int]) -> Answer {
    settleFollowers(of: ids.filter { settleJointIfDecided($0) })
    return .done
  }
}
