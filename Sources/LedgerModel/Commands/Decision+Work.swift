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
      awaiting: promise, settlement, limit: limit + staged.promises.ids.count
    ).filter { staged.promises[$0] == nil }
    let all = below + staged.work.firstWork(awaiting: promise, settlement, limit: limit)
    return all.isEmpty ? [] : Array(all.sorted().prefix(limit))
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
    try settleFollowers(of: [id])
  }

  /// Settles the joints that the outcomes of promises decide, settles alike the work that never becomes due
  /// because of them, and in turn what waits for these.
  ///
  /// If not all of it can be settled in this commit, the rest waits for a runner.
  mutating func settleFollowers(of promises: [PromiseID]) throws(LedgerError) {
    var settled = promises
    while !settled.isEmpty, followerCount < Self.maximumFollowerCount {
      let causes = settled
      let excluded = try excludedWork(by: causes)
      settled = []
      do throws(LedgerError) {
        settled += try settleJoints(of: causes)
        for (promise, followers) in excluded {
          guard let outcome = try FollowedOutcome(promise) else { continue }
          for id in followers where followerCount < Self.maximumFollowerCount {
            guard try follow(outcome, id) else { continue }
            followerCount += 1
            settled.append(id)
          }
        }
      } catch {
        // In a full ledger, they wait for a runner.
        guard error.code == .ledgerFull else { throw error }
        return
      }
    }
  }

  /// The work that each of some settled promises excludes, as much as this commit may settle. Its records are
  /// read.
  private func excludedWork(
    by settled: [PromiseID]
  ) throws(LedgerError) -> [(promise: PromiseEntity, followers: [PromiseID])] {
    var all: [(promise: PromiseEntity, followers: [PromiseID])] = []
    let limit = Self.maximumFollowerCount - followerCount
    try Self.lookUpAll(settled) { (id) throws(LedgerError) in
      guard let promise = try promise(id) else { return }
      let excluded = WorkTrigger.Settlement.excluded(by: promise.resolution?.outcome)
      let followers = try work(awaiting: id, excluded, limit: limit)
      if !followers.isEmpty { all.append((promise, followers)) }
    }
    try Self.lookUpAll(all.flatMap(\.followers)) { (id) throws(LedgerError) in
      _ = try changeablePromise(id)
    }
    return all
  }

  /// Looks up something for each of several items. If parts of the snapshot are missing, those for all items
  /// are noted, not only those for the first one: a decision is repeated each time that something is missing.
  static func lookUpAll<Item>(
    _ items: [Item], _ body: (Item) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var failure: LedgerError?
    for item in items {
      do throws(LedgerError) { try body(item) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// The promise; `nil` if there is none, or this build cannot read it. Other work must not wait for that.
  func readablePromise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    do throws(LedgerError) {
      return try promise(id)
    } catch {
      guard error.isOfUnreadableItem else { throw error }
      return nil
    }
  }

  /// Settles work alike that waits for another settlement of a promise.
  ///
  /// - Returns: Whether the work was settled; not if it cannot be read or written to, which must not hold up
  ///   the promise.
  /// - Throws: `ledgerFull`, and errors that concern more than this work.
  mutating func follow(_ outcome: FollowedOutcome, _ id: PromiseID) throws(LedgerError) -> Bool {
    guard (try? requireWritable(id.entityID)) != nil, let entity = try changeablePromise(id),
      case .after(let awaited, let settlement)? = entity.workPlace?.trigger,
      awaited == outcome.promise, !settlement.includes(outcome.kind)
    else { return false }
    let creation = try entity.creation()
    if let deadline = creation.deadline, now >= deadline { return false }
    try appendAttaching(
      outcome.resolution(of: creation, at: now), to: id.entityID, cause: outcome.position)
    return true
  }

  /// The promise; `nil` if there is none, this build cannot read it, or the lists contradict its record.
  func changeablePromise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    if let entity = staged.promises[id] { return entity }
    do throws(LedgerError) {
      _ = try base.promiseToChange(id)
      return try promise(id)
    } catch {
      guard error.isOfUnreadableItem else { throw error }
      return nil
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

  /// - Parameter content: The content of the outcome, if it is stored beside its event, or is the value of a
  ///   joint.
  /// - Returns: `nil` if the promise is pending, or its outcome is stored elsewhere and not given.
  package init?(_ entity: PromiseEntity, content: [UInt8]? = nil) throws(LedgerError) {
    promise = entity.id
    typeTag = try entity.typeTag()
    if entity.resolution == nil, case .abandoned(let fact, let reason) = entity.closing {
      (position, kind) = (fact.position, nil)
      self.content = Array(reason.utf8)
      return
    }
    guard let resolution = entity.resolution, let resolved = try entity.resolved() else {
      return nil
    }
    // The value of a joint is that of its inputs.
    let isElsewhere = entity.isJoint && resolved.outcome == .fulfilled
    guard let stored = isElsewhere ? content : resolved.content ?? content else { return nil }
    (position, kind) = (resolution.fact.position, resolved.outcome)
    self.content = try resolved.value(in: stored)
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
