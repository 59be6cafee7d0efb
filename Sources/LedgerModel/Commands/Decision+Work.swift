// MARK: - Work

extension Decision {
  /// The maximum amount of work that one commit settles because a promise was settled; runners settle the
  /// rest.
  static let maximumFollowerCount = 256

  /// The work that waits for a settlement of a promise, including changes of this commit.
  func work(
    awaiting promise: PromiseID, _ settlement: WorkTrigger.Settlement, limit: Int
  ) throws(LedgerError) -> [PromiseID] {
    let below = try base.work(
      awaiting: promise, settlement, limit: limit + staged.work.count
    ).filter { staged.promises[$0] == nil }
    let all = below + staged.work.awaiting(promise, settlement)
    return Array(all.sorted().prefix(limit))
  }

  /// Appends the settlement of a pending promise, and settles alike the work that it excludes.
  mutating func settle(
    _ id: PromiseID, _ resolved: PromiseResolved, cause: Position = .start,
    usesReserve: Bool = false
  ) throws(LedgerError) {
    if usesReserve {
      try append(resolved, to: id.entityID, cause: cause, usesReserve: true)
    } else {
      try appendAttaching(resolved, to: id.entityID, cause: cause)
    }
    try settleFollowers(of: id)
  }

  /// Settles alike the work that never becomes due because of the outcome of a promise, and in turn the work
  /// that waits for it.
  ///
  /// If not all of it can be settled in this commit, the rest waits for a runner.
  mutating func settleFollowers(of first: PromiseID) throws(LedgerError) {
    var settled = [first]
    var next = 0
    while next < settled.count, followerCount < Self.maximumFollowerCount {
      guard let promise = try promise(settled[next]) else { return }
      next += 1
      let excluded = WorkTrigger.Settlement.excluded(by: promise.resolution?.outcome)
      let followers = try work(
        awaiting: promise.id, excluded, limit: Self.maximumFollowerCount - followerCount)
      guard !followers.isEmpty, let outcome = try FollowedOutcome(promise) else { continue }
      for id in followers where try follow(outcome, id) {
        followerCount += 1
        settled.append(id)
      }
    }
  }

  /// Settles work alike that waits for another settlement of a promise.
  ///
  /// - Returns: Whether the work was settled.
  mutating func follow(_ outcome: FollowedOutcome, _ id: PromiseID) throws(LedgerError) -> Bool {
    guard let entity = try promise(id), let place = entity.workPlace,
      case .after(let awaited, let settlement)? = place.trigger, awaited == outcome.promise,
      !settlement.includes(outcome.kind), (try? requireWritable(id.entityID)) != nil
    else { return false }
    let creation = try entity.creation()
    if let deadline = creation.deadline, now >= deadline { return false }
    do throws(LedgerError) {
      try appendAttaching(
        outcome.resolution(of: creation, at: now), to: id.entityID, cause: outcome.position)
      return true
    } catch {
      // In a full ledger, it waits for a runner.
      guard error.code == .ledgerFull else { throw error }
      return false
    }
  }
}

/// The outcome of a promise that work takes over.
package struct FollowedOutcome: Sendable {
  let promise: PromiseID
  /// The position of the settlement.
  let position: Position
  /// The kind of the outcome; `nil` if the promise was abandoned.
  let kind: PromiseOutcomeKind?
  /// The type of the promise's value.
  private let typeTag: String
  private let content: [UInt8]

  /// - Parameter content: The content of the outcome, if it is stored beside its event.
  /// - Returns: `nil` if the promise is pending, or its outcome is stored beside its event and not given.
  package init?(_ entity: PromiseEntity, content: [UInt8]? = nil) throws(LedgerError) {
    promise = entity.id
    typeTag = try entity.creation().typeTag
    if entity.resolution == nil, case .abandoned(let fact, let reason) = entity.closing {
      (position, kind) = (fact.position, nil)
      self.content = Array(reason.utf8)
      return
    }
    guard let resolution = entity.resolution, let resolved = try entity.resolved(),
      let stored = resolved.content ?? content
    else { return nil }
    (position, kind) = (resolution.fact.position, resolved.outcome)
    self.content =
      resolved.attempt == nil ? stored : try PromiseResolved.outcome(ofAttempt: stored).value
  }

  /// The resolution of work that takes over the outcome.
  func resolution(of creation: PromiseCreated, at now: Timestamp) -> PromiseResolved {
    let outcome: PromiseOutcomeKind
    var content = content
    switch kind {
    case .fulfilled where creation.typeTag != typeTag:
      outcome = .rejected
      content = WorkError.otherType(creation.typeTag, than: typeTag, of: promise).encoded
    case .fulfilled: outcome = .fulfilled
    case .rejected: outcome = .rejected
    case .cancelled: outcome = .cancelled
    // Only a deadline of its own times a promise out.
    case .timedOut:
      outcome = .rejected
      content = WorkError.awaitedTimedOut(promise).encoded
    case nil: outcome = .cancelled
    }
    return PromiseResolved(outcome: outcome, resolvedAt: now, content: content)
  }
}

/// The errors with which the ledger itself rejects work.
package enum WorkError {
  /// The domain of the errors.
  package static let domain = "PromiseLedger.work"

  static func awaitedTimedOut(_ promise: PromiseID) -> StoredError {
    StoredError(
      domain: domain, code: 1, message: "Promise \(promise), which the work awaited, timed out.")
  }

  static func otherType(_ own: String, than other: String, of promise: PromiseID) -> StoredError {
    StoredError(
      domain: domain, code: 2,
      message:
        "Promise \(promise), whose value the work should take over, has values of the type \(other), not \(own)."
    )
  }

  static func givenUp(after time: Timestamp, _ last: StoredError?) -> StoredError {
    let why = last.map { " Its last error was: \($0.message)" } ?? ""
    return StoredError(
      domain: domain, code: 3,
      message: "The work was given up because it was not done at \(time).\(why)"
    )
  }
}
