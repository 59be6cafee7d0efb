extension Explainer {
  /// The work of a lane that comes before due work, if an attempt of that work may not start now. The rule is
  /// that of claims.
  func laneBlock(
    _ id: PromiseID, _ place: WorkPlace
  ) throws(LedgerError) -> Explanation.LaneBlock? {
    guard let lane = place.lane else { return nil }
    let others = try state.holders(ofLane: lane.name).filter { $0.id != id }
    // The narrowest work decides.
    let width = others.reduce(lane.width) { min($0, $1.width) }
    let effective = WorkLane(storedName: lane.name, width: width)
    let running = others.filter(\.isRunning)
    guard running.count < width else {
      return .full(effective, by: try members(running.map(\.id)))
    }
    if place.holdsLane { return nil }
    guard others.count < width else {
      return .held(effective, by: try members(others.map(\.id)))
    }
    let earlier = try state.queue(
      ofLane: lane.name, before: place.created, limit: LedgerState.maximumQueueCount)
    var first: [PromiseID] = []
    for work in earlier.work where first.count < width - others.count {
      guard state.blocked[work.id.entityID] == nil, try isDue(work.trigger) else { continue }
      first.append(work.id)
    }
    guard first.count == width - others.count else { return nil }
    return .behind(effective, try members(first))
  }

  private func isDue(_ trigger: WorkTrigger) throws(LedgerError) -> Bool {
    let reach = try trigger.reach(at: now, since: now) { (id) throws(LedgerError) in
      try state.readablePromise(id)
    }
    if case .reached = reach { return true }
    return false
  }

  private func members(_ ids: [PromiseID]) throws(LedgerError) -> [Explanation.LaneMember] {
    var members: [Explanation.LaneMember] = []
    for id in ids.sorted().prefix(Self.maximumCount) {
      let place = try state.readablePromise(id)?.workPlace
      members.append(
        Explanation.LaneMember(
          promise: id, kind: place?.kind, state: place.flatMap { memberState($0) }))
    }
    return members
  }

  private func memberState(_ place: WorkPlace) -> Explanation.LaneMember.State? {
    switch place.phase {
    case .running(let session): .running(in: session)
    case .waiting(let trigger):
      if place.holdsLane {
        .waiting(until: trigger.parts?.time.flatMap { $0 > now ? $0 : nil })
      } else {
        .due
      }
    // Parked work leaves its lane.
    case .parked: nil
    }
  }
}
