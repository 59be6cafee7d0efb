extension ReplayedLedger {
  /// A promise and everything below it: the promises that its code created, the inputs of a joint, the work that
  /// awaits it, and what is below these. Promises that are settled are included as long as their records are kept.
  ///
  /// - Parameters:
  ///   - id: The promise at the top.
  ///   - now: The time for which the states of work hold.
  ///   - limit: The maximum number of promises, at least 1. The lowest levels are left out first.
  ///   - progress: Called periodically. It must not use a ledger.
  /// - Returns: `nil` if there is no such promise.
  /// - Throws: ``LedgerError`` with `corrupt`; with `unsupportedEvent` if only a later version can read the
  ///   promise at the top; with `eventsDeleted` if the ledger was compacted past ``position`` in the meantime:
  ///   replay again.
  /// - Complexity: O(n log n) in the number of all promises.
  public func tree(
    of id: PromiseID, at now: Timestamp, limit: Int = 1_000, progress: () -> Void = {}
  ) throws -> PromiseTree? {
    let root = try reading { (state) throws(LedgerError) in try state.promise(id) }
    guard root != nil else { return nil }
    var family = PromiseFamily()
    try forEachEntity(on: [.openPromises, .openWork, .closed(.promise)], progress: progress) {
      if case .promise(let promise) = $0 { try family.add(promise) }
      return true
    }
    family.sort()
    let plan = try TreePlan(from: id, limit: limit) { (id) throws(LedgerError) in
      try keptTies(below: id, in: family).map { ($0.below, $0.relation) } + unreadable(below: id)
    }
    let presences = try sessionPresences()
    var nodes: [PromiseTree.Node] = []
    for place in plan.inOrder {
      nodes.append(try node(at: place, at: now, presences))
      if nodes.count.isMultiple(of: 1_000) { progress() }
    }
    return PromiseTree(nodes: nodes, leftOutCount: plan.leftOutCount)
  }

  /// The relations to promises below another one, without inputs whose records were removed.
  private func keptTies(
    below id: PromiseID, in family: PromiseFamily
  ) throws(LedgerError) -> [PromiseFamily.Tie] {
    var ties: [PromiseFamily.Tie] = []
    for tie in family.below(id) {
      if tie.relation == .input {
        let isKept = try reading { (state) throws(LedgerError) in
          let isOpaque = try state.opaque(tie.below.entityID) != nil
          return try isOpaque ? true : state.promise(tie.below) != nil
        }
        guard isKept else { continue }
      }
      ties.append(tie)
    }
    return ties
  }

  private func node(
    at place: TreePlan.Place, at now: Timestamp, _ presences: SessionPresences
  ) throws(LedgerError) -> PromiseTree.Node {
    let entity = try reading { (state) throws(LedgerError) in
      try state.opaque(place.id.entityID) == nil ? try state.promise(place.id) : nil
    }
    return PromiseTree.Node(
      id: place.id, depth: place.depth, relation: place.relation,
      record: try naming(try entity?.smallRecord),
      standing: try entity.flatMap { (entity) throws(LedgerError) in
        try standing(of: entity, at: now, presences)
      },
      isRepeated: place.isRepeated, leftOutCount: place.leftOutCount)
  }

  /// The promises below another one that only a later version can read: their entries in the lists tell.
  private func unreadable(
    below id: PromiseID
  ) throws(LedgerError) -> [(PromiseID, PromiseTree.Relation)] {
    try reading { (state) throws(LedgerError) in
      guard state.snapshot.summary.counts.hasOpaque else { return [] }
      var found: [(PromiseID, PromiseTree.Relation)] = []
      var lists: [(OpenList, PromiseTree.Relation)] = [(.children(id), .child)]
      for settlement in WorkTrigger.Settlement.allCases {
        lists.append((.awaitingWork(id, settlement), .continuation))
      }
      for (list, relation) in lists {
        try state.snapshot.forEachEntry(of: list) { (entry) throws(LedgerError) in
          if try state.opaque(entry.id) != nil {
            found.append((PromiseID(entityID: entry.id), relation))
          }
          return true
        }
      }
      return found
    }
  }
}

extension LedgerInspector {
  /// A promise and everything below it: the promises that its code created, the work that awaits it, and what is
  /// below these; `nil` if there is no such promise.
  ///
  /// - Parameters:
  ///   - id: The promise at the top.
  ///   - now: The time for which the states of work hold.
  ///   - limit: The maximum number of promises, at least 1. The lowest levels are left out first.
  /// - Throws: As ``replay()``; with `unsupportedEvent` if only a later version can read the promise.
  /// - Complexity: O(events since the snapshot + n log n) in the number n of all promises.
  public func tree(
    of id: PromiseID, at now: Timestamp = .now, limit: Int = 1_000
  ) async throws -> PromiseTree? {
    try await run { inspector in
      try inspector.withReplay { try $0.tree(of: id, at: now, limit: limit) }
    }
  }
}
