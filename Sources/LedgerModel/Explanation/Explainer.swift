/// Finds the reasons why promises and handlers wait. It is pure: the time and the findings about processes come
/// in as values.
package struct Explainer {
  /// The maximum number of promises that one explanation follows.
  static let maximumChainCount = 1_000
  /// The maximum number of entities of one sort in a reason.
  static let maximumCount = 16

  let state: LedgerState
  let now: Timestamp
  let presences: SessionPresences

  package init(_ state: LedgerState, at now: Timestamp, _ presences: SessionPresences) {
    (self.state, self.now, self.presences) = (state, now, presences)
  }

  /// Explains a promise or its work; `nil` if there is none.
  ///
  /// - Complexity: O(open handlers + open work) for a pending promise without work; otherwise O(work of the
  ///   lane).
  package func explain(_ id: PromiseID) throws(LedgerError) -> Explanation? {
    if let block = try block(id.entityID) {
      return Explanation(id: id.entityID, time: now, reasons: [.blocked(block)])
    }
    guard let entity = try state.promise(id) else { return nil }
    guard entity.status == .pending else {
      return Explanation(id: id.entityID, time: now, reasons: try reasonsAfterOutcome(entity))
    }
    var reasons: [Explanation.Reason] = []
    var chain: [PromiseID] = []
    if let place = entity.workPlace {
      let walk = try walk(from: entity)
      chain = walk.chain
      reasons = try self.reasons(of: entity, place, circle: walk.circle)
    } else if let joint = entity.joint {
      reasons = [.waits(try wait(of: entity, joint))]
    } else {
      reasons = try reasonsOutside(entity)
    }
    if let deadline = entity.deadline {
      let effect = entity.deadlineEffect
      // What has to happen next comes first.
      if now >= deadline {
        reasons.insert(.deadline(.passed(deadline, effect)), at: 0)
      } else {
        reasons.append(.deadline(.ahead(deadline, effect)))
      }
    }
    if let followers = try followers(of: id) { reasons.append(.outside(followers)) }
    return Explanation(
      id: id.entityID, time: now, reasons: reasons, chain: chain.count > 1 ? chain : [])
  }

  /// The reason why an entity cannot be changed, if there is one.
  func block(_ id: EntityID) throws(LedgerError) -> Explanation.Block? {
    if let problem = state.blocked[id] {
      switch problem.reason {
      case .unsupported: return .laterVersion(problem.position)
      case .opaqueRecord: return .laterVersion(nil)
      case .damagedPayload, .illegalTransition: return .damaged(problem.position)
      }
    }
    return try state.opaque(id) == nil ? nil : .laterVersion(nil)
  }

  func presence(of session: SessionID) throws(LedgerError) -> SessionRecord.Presence {
    let presence = presences[session]
    guard presence == .gone else { return presence }
    // Only a later version can tell.
    return try state.isOpenAndOpaque(session) ? .alive : .gone
  }

  // MARK: Chains

  /// The promises that work waits for by way of others, and the circle that they end in, if there is one.
  private func walk(
    from entity: PromiseEntity
  ) throws(LedgerError) -> (chain: [PromiseID], circle: [PromiseID]) {
    var path = [entity.id]
    var places = [entity.id: 0]
    var current = entity
    while path.count <= Self.maximumChainCount,
      let next = current.workPlace?.trigger?.indispensable
    {
      if let start = places[next] { return (Array(path.dropFirst()), Array(path[start...])) }
      guard let promise = try state.readablePromise(next), promise.status == .pending else { break }
      places[next] = path.count
      path.append(next)
      current = promise
    }
    return (Array(path.dropFirst()), [])
  }

  /// The inputs for which a pending joint waits.
  private func wait(
    of entity: PromiseEntity, _ joint: PromiseCreated.Joint
  ) throws(LedgerError) -> Explanation.Wait {
    if try state.verdict(on: joint) != .undecided {
      var since = entity.created.time
      for id in joint.inputs {
        guard let input = try state.readablePromise(id), input.status != .pending else { continue }
        since = max(since, input.settledAt)
      }
      return .forSettlementOfJoint(since: since)
    }
    var pending: [PromiseID] = []
    for id in joint.inputs where pending.count <= Self.maximumCount {
      if try state.readablePromise(id)?.status ?? .pending == .pending { pending.append(id) }
    }
    return .forInputs(
      Array(pending.prefix(Self.maximumCount)), isComplete: pending.count <= Self.maximumCount,
      since: entity.created.time)
  }

  /// The work that waits for a pending promise.
  private func followers(of id: PromiseID) throws(LedgerError) -> Explanation.Outside? {
    var ids: [PromiseID] = []
    for settlement in WorkTrigger.Settlement.allCases {
      ids += try state.work(awaiting: id, settlement, limit: Self.maximumCount + 1)
    }
    guard !ids.isEmpty else { return nil }
    return .followers(
      Array(ids.sorted().prefix(Self.maximumCount)), isComplete: ids.count <= Self.maximumCount)
  }
}
