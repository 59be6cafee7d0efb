// MARK: - Joints

extension Decision {
  /// The pending joints with a promise among their inputs, including changes of this commit.
  func joints(awaiting promise: PromiseID, limit: Int) throws(LedgerError) -> [PromiseID] {
    let below = try base.joints(awaiting: promise, limit: limit + staged.promises.ids.count)
      .filter { staged.promises[$0] == nil }
    let all = below + staged.joints[promise]
    return all.isEmpty ? [] : Array(all.sorted().prefix(limit))
  }

  /// Settles the joints that the settlement of one of their inputs decides, as many as this commit may settle.
  ///
  /// - Returns: The joints that were settled.
  mutating func settleJoints(of settled: [PromiseID]) throws(LedgerError) -> [PromiseID] {
    // The settled inputs because of which a joint may be decided.
    var causes: [PromiseID: [PromiseID]] = [:]
    let limit = Self.maximumFollowerCount - followerCount
    try Self.lookUpAll(settled) { (id) throws(LedgerError) in
      for joint in try self.joints(awaiting: id, limit: limit)
      where try !mustWait(inMemory: joint, after: id) {
        causes[joint, default: []].append(id)
      }
    }
    guard !causes.isEmpty else { return [] }
    let sorted = causes.keys.sorted()
    try lookUpInputs(of: sorted)
    // Before any of them is settled: one may be an input of another.
    var candidates: [PromiseID] = []
    for id in sorted {
      guard let joint = try changeablePromise(id)?.joint,
        try mayDecide(joint, causes[id, default: []])
      else { continue }
      candidates.append(id)
    }
    var changed: [PromiseID] = []
    for id in candidates where followerCount < Self.maximumFollowerCount {
      guard try settleJointIfDecided(id) else { continue }
      followerCount += 1
      changed.append(id)
    }
    return changed
  }

  /// Whether one of some settled inputs may decide a joint.
  private func mayDecide(
    _ joint: PromiseCreated.Joint, _ settled: [PromiseID]
  ) throws(LedgerError) -> Bool {
    for id in settled where try !mustWait(joint, after: id) { return true }
    return false
  }

  /// Whether a joint waits for other inputs, whatever the outcome of the settled one is.
  ///
  /// This is the rule even if another input decided the joint before, in a commit that could not settle all joints: a
  /// runner settles those. And it holds for the moment at which the input was settled: a joint that waits for another
  /// one is settled after all joints that the input decides. Otherwise the events, or their order, would depend on how
  /// much of the ledger is folded, because ``mustWait(inMemory:after:)`` sees only what is in memory.
  private func mustWait(
    _ joint: PromiseCreated.Joint, after settled: PromiseID
  ) throws(LedgerError) -> Bool {
    guard let isFulfilment = try promise(settled)?.settlement?.isFulfilment,
      !joint.rule.isDecided(byFulfilment: isFulfilment)
    else { return false }
    for id in joint.inputs where try readablePromise(id)?.settlement == nil { return true }
    return false
  }

  /// The same for a joint in memory, as far as its inputs are in memory: if this is true, so is
  /// ``mustWait(_:after:)``.
  ///
  /// This is the usual case, and must be fast. Inputs are mostly settled in their order.
  private func mustWait(
    inMemory joint: PromiseID, after settled: PromiseID
  ) throws(LedgerError) -> Bool {
    guard staged.promises[joint] == nil, let (rule, inputs) = base.promises.joints.joint(joint),
      let isFulfilment = try promise(settled)?.settlement?.isFulfilment,
      !rule.isDecided(byFulfilment: isFulfilment)
    else { return false }
    return inputs.reversed().contains { id in
      staged.promises[id].map { $0.status == .pending } ?? base.promises.isPending(id) ?? false
    }
  }

  /// Looks up joints, then their inputs, so that all missing parts of the snapshot are noted together.
  func lookUpInputs(of joints: [PromiseID]) throws(LedgerError) {
    var inputs: [PromiseID] = []
    try Self.lookUpAll(joints) { (id) throws(LedgerError) in
      if let entity = try changeablePromise(id) { inputs += entity.awaitedInputs }
    }
    try Self.lookUpAll(inputs) { (id) throws(LedgerError) in _ = try readablePromise(id) }
  }

  /// Settles a pending joint if the outcomes of its inputs decide it.
  ///
  /// - Parameter usesReserve: Whether a full ledger must still accept the outcome.
  /// - Returns: Whether it was settled; not if it cannot be written to, which must not hold up its inputs.
  /// - Throws: `ledgerFull`, and errors that concern more than this joint.
  mutating func settleJointIfDecided(
    _ id: PromiseID, usesReserve: Bool = false
  ) throws(LedgerError) -> Bool {
    guard (try? requireWritable(id.entityID)) != nil, let entity = try changeablePromise(id),
      entity.isJoint, entity.status == .pending
    else { return false }
    let creation = try entity.creation()
    guard let joint = creation.joint else { return false }
    if let deadline = creation.deadline, now >= deadline { return false }
    guard let resolved = try outcome(of: joint, creation) else { return false }
    try append(
      resolved.event, to: id.entityID, cause: resolved.cause,
      usesReserve: usesReserve || !PromiseResolved.kind.makesLedgerGrow)
    return true
  }

  /// The outcome that its inputs give a joint; `nil` if it waits for more of them.
  private func outcome(
    of joint: PromiseCreated.Joint, _ creation: PromiseCreated
  ) throws(LedgerError) -> (event: PromiseResolved, cause: Position)? {
    let inputs = try self.inputs(of: joint)
    let verdict = JointVerdict(
      joint.rule, of: zip(joint.inputs, inputs).map { .init($0, $1?.settlement) })
    let cause = inputs.compactMap { $0?.settlement?.position }.max() ?? .start
    switch verdict {
    case .undecided: return nil
    case .fulfilled(let input):
      let event = PromiseResolved(
        outcome: .fulfilled, resolvedAt: now, content: PromiseResolved.jointContent(by: input))
      return (event, cause)
    case .like(let input):
      guard let entity = try promise(input) else { return nil }
      return (try failure(like: entity, creation), cause)
    case .noneFulfilled(let first):
      guard let entity = try promise(first) else { return nil }
      let failure = try failure(like: entity, creation)
      // A joint below has said it before.
      guard joint.depth == 0 || failure.outcome != .rejected else { return (failure, cause) }
      let event = PromiseResolved(
        outcome: .rejected, resolvedAt: now,
        content: WorkError.noneFulfilled(like: failure).encoded)
      return (event, cause)
    }
  }

  /// The current inputs; `nil` in place of one that this build cannot read, for which the joint waits.
  private func inputs(
    of joint: PromiseCreated.Joint
  ) throws(LedgerError) -> [PromiseEntity?] {
    var inputs: [PromiseEntity?] = []
    inputs.reserveCapacity(joint.inputs.count)
    try Self.lookUpAll(joint.inputs) { (id) throws(LedgerError) in
      inputs.append(try readablePromise(id))
    }
    return inputs
  }

  /// The resolution of a joint that is settled like an input without a value.
  private func failure(
    like input: PromiseEntity, _ creation: PromiseCreated
  ) throws(LedgerError) -> PromiseResolved {
    guard let outcome = try FollowedOutcome(input) else {
      // A large error is stored beside its event, where a decision does not read it.
      let byteCount = input.resolution?.attachmentByteCount ?? 0
      let error = WorkError.largeError(of: input.id, byteCount: byteCount)
      return PromiseResolved(outcome: .rejected, resolvedAt: now, content: error.encoded)
    }
    return outcome.resolution(of: creation, at: now)
  }

  /// Rejects a joint whose inputs do not exist, because it would never be settled.
  mutating func requireInputs(of joint: PromiseCreated.Joint) throws(LedgerError) {
    var missing: PromiseID?
    try Self.lookUpAll(joint.inputs) { (id) throws(LedgerError) in
      if try knownPromise(id) == nil { missing = missing ?? id }
    }
    if let missing { throw .notFound(missing) }
  }
}

extension PromiseCreated.Joint.Rule {
  /// Whether one settled input may decide a joint while others are pending.
  package func isDecided(byFulfilment isFulfilment: Bool) -> Bool {
    switch self {
    case .all: !isFulfilment
    case .any: isFulfilment
    case .race: true
    case .allSettled: false
    }
  }
}

/// Settles joints whose inputs were settled by a build that does not know joints, or in a commit that could not
/// settle all of them.
package struct SettleJoints: Command {
  /// The joints.
  package let ids: [PromiseID]

  package init(_ ids: [PromiseID]) { self.ids = ids }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    for id in ids { needs.ids.insert(id.entityID) }
  }

  package func decide(in decision: inout Decision) throws(LedgerError) {
    try decision.lookUpInputs(of: ids)
    var settled: [PromiseID] = []
    for id in ids where try decision.settleJointIfDecided(id) { settled.append(id) }
    try decision.settleFollowers(of: settled)
  }
}

extension WorkError {
  static func noneFulfilled(like first: PromiseResolved) -> StoredError {
    let error = first.outcome == .rejected ? try? StoredError(decoding: first.content ?? []) : nil
    let message =
      error?.message ?? String(decoding: first.content ?? [], as: UTF8.self)
    return StoredError(
      domain: domain, code: 6,
      message: "None of the promises was fulfilled. The first failure was: \(message)"
        .cut(toByteCount: 2_048))
  }

  static func largeError(of input: PromiseID, byteCount: Int) -> StoredError {
    StoredError(
      domain: domain, code: 7,
      message:
        "Promise \(input) was rejected with an error of \(byteCount) bytes, which its record shows."
    )
  }
}
