import Synchronization

// MARK: - Looking

extension WorkLoop {
  func search(
    _ kinds: Set<String>, looksAtJoints: Bool = true, looksOnlyAtTimes: Bool = false
  ) -> WorkSearch {
    let (limit, fullLanes) = contents.withLock { ($0.agenda.limit, $0.agenda.fullLanes) }
    return WorkSearch(
      now: now, kinds: kinds, limit: limit, laneLimit: Self.laneLimit, fullLanes: fullLanes,
      looksAtJoints: looksAtJoints, looksOnlyAtTimes: looksOnlyAtTimes)
  }

  /// Finds the work that became due since the last look.
  func look() async throws {
    let ids = takeChanges()
    do {
      try await lookAtRunning(ids)
      try await releaseLostClaims()
      try await look(at: ids)
      try await searchAll()
    } catch {
      contents.withLock { contents in
        contents.changed.formUnion(ids)
        contents.hasMissedChanges = true
        contents.agenda.noteMissed()
      }
      throw error
    }
  }

  func takeChanges() -> Set<PromiseID> {
    let news = engine.replica.takeNews()
    return contents.withLock { contents in
      if !news.isComplete {
        contents.agenda.noteMissed()
        contents.hasMissedChanges = true
      }
      if !contents.running.values.contains(where: \.isSuspect) { contents.agenda.releaseSuspects() }
      let ids = contents.changed.union(news.ids)
      contents.changed = []
      return ids
    }
  }

  /// Looks at promises that changed, then at the lanes and the work that this concerns.
  func look(at ids: Set<PromiseID>) async throws {
    let search = search(kinds)
    var awaited: Set<PromiseID> = []
    if !ids.isEmpty {
      let needs = SnapshotNeeds(ids: Set(ids.map(\.entityID)))
      let found = try await engine.read(needs: needs) { state in
        try state.dueWork(among: ids, search)
      }
      awaited = found.awaited
      contents.withLock { $0.agenda.add(found) }
    }
    while true {
      let lanes = contents.withLock { $0.agenda.takeLanesToSearch(atMost: Self.laneSliceCount) }
      guard !lanes.isEmpty || !awaited.isEmpty else { return }
      try await look(atLanes: lanes, awaiting: awaited, search)
      awaited = []
    }
  }

  private func look(
    atLanes lanes: Set<String>, awaiting awaited: Set<PromiseID>, _ search: WorkSearch
  ) async throws {
    do {
      let needs = try await engine.read { state in state.needs(ofLanes: lanes, awaiting: awaited) }
      let found = try await engine.read(needs: needs) { state in
        try state.dueWork(inLanes: lanes, awaiting: awaited, search)
      }
      contents.withLock { $0.agenda.add(found) }
    } catch {
      contents.withLock { contents in for lane in lanes { contents.agenda.release(lane: lane) } }
      throw error
    }
  }

  /// Looks through the work of the kinds of which none is known to be due, but some may be, and of those whose
  /// next time has come.
  func searchAll() async throws {
    let (plan, looksAtJoints) = contents.withLock { contents in
      let plan = contents.agenda.searchPlan(at: now)
      let missesJoints = contents.agenda.missesJoints
      contents.agenda.begin(plan)
      return (plan, missesJoints)
    }
    guard !plan.kinds.isEmpty else { return }
    let search = search(
      plan.kinds, looksAtJoints: looksAtJoints, looksOnlyAtTimes: plan.coversOnlyTimes)
    let found = try await engine.read(fromCopy: true) { state in try state.dueWork(search) }
    contents.withLock { $0.agenda.endSearch(found) }
  }

  /// Ends the code of work that ended otherwise or is run by another session, and tells code that its work was
  /// cancelled.
  func lookAtRunning(_ ids: Set<PromiseID>) async throws {
    let (flows, reserved) = contents.withLock { contents in
      defer { contents.hasMissedChanges = false }
      let all = contents.running.merging(contents.waiting) { running, _ in running }
      let isMeant = { [missed = contents.hasMissedChanges] in missed || ids.contains($0) }
      return (
        all.filter { isMeant($0.key) }.mapValues(\.flow), contents.reserved.keys.filter(isMeant)
      )
    }
    try await lookAtReserved(reserved)
    guard !flows.isEmpty else { return }
    let session = engine.setup.session
    let needs = SnapshotNeeds(ids: Set(flows.keys.map(\.entityID)))
    let news = try await engine.read(needs: needs) { state in
      var news: [PromiseID: CodeNews] = [:]
      for (id, flow) in flows {
        do throws(LedgerError) {
          news[id] = CodeNews(try state.promise(id), attempt: flow.attempt, in: session)
        } catch {
          // Other code must not wait for a record that this build cannot read.
          guard error.isOfUnreadableItem else { throw error }
          news[id] = .ended
        }
      }
      return news
    }
    for (id, news) in news {
      guard let code = contents.withLock({ $0.running[id] ?? $0.waiting[id] }) else { continue }
      switch news {
      case .ended:
        code.interruption.note(.ended)
        code.flow.end()
        code.task?.cancel()
      case .cancelled:
        // Code that gave its work back learns of it when it goes on.
        guard code.flow.isRunning else { continue }
        code.flow.noteCancelRequest()
        // Code with steps learns of it from them, and may have something to undo.
        guard !code.flow.usesSteps else { continue }
        code.interruption.note(.ended)
        code.task?.cancel()
      }
    }
  }

  /// Notes work that is being created, and whose code must learn of something when it begins.
  private func lookAtReserved(_ ids: [PromiseID]) async throws {
    guard !ids.isEmpty else { return }
    let needs = SnapshotNeeds(ids: Set(ids.map(\.entityID)))
    let early = try await engine.read(needs: needs) { state in
      try ids.filter { id in
        guard let entity = try state.readablePromise(id) else { return false }
        return entity.status != .pending || entity.progress?.cancelRequest != nil
      }
    }
    contents.withLock { contents in
      for id in early {
        // The code may have begun meanwhile.
        if contents.reserved[id] != nil {
          contents.changedEarly.insert(id)
        } else {
          contents.changed.insert(id)
        }
      }
    }
  }

  /// Lets code go on for which the session started attempts whose claims were not answered, and gives the others
  /// back.
  func releaseLostClaims() async throws {
    guard contents.withLock({ $0.hasLostClaims }) else { return }
    let session = engine.setup.session
    let started = try await engine.read(fromCopy: true) { try $0.runningWork(of: session) }
    let unknown = contents.withLock { contents in
      started.filter {
        contents.running[$0.id] == nil && contents.reserved[$0.id] == nil
      }
    }
    for work in unknown {
      // It may have been taken up just now.
      guard !goOn(work), contents.withLock({ $0.running[work.id] == nil }) else { continue }
      _ = try await engine.submit(
        ReleaseWork(id: work.id, attempt: work.progress?.attempt ?? 0, reason: .cancelled))
    }
    contents.withLock { $0.hasLostClaims = false }
  }
}

/// What running code must learn of its work.
private enum CodeNews {
  /// The work has ended, or another session runs it.
  case ended
  case cancelled

  /// - Returns: `nil` if there is nothing to learn.
  init?(_ entity: PromiseEntity?, attempt: UInt32, in session: SessionID) {
    guard let entity, entity.status == .pending, let progress = entity.progress,
      progress.attempt <= attempt || progress.start?.session == session
    else {
      self = .ended
      return
    }
    guard progress.cancelRequest != nil, !progress.knowsOfCancellation else { return nil }
    self = .cancelled
  }
}
