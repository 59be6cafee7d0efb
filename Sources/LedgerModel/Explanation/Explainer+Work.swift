extension PromiseEntity {
  /// The time of the newest creation, start, release or request of work, and the session that wrote it.
  fileprivate var newestTrace: (time: Timestamp, session: SessionID) {
    let facts = [
      created, progress?.start, progress?.release?.fact, progress?.cancelRequest?.fact,
      progress?.parking,
    ].compactMap(\.self)
    let newest = facts.max { $0.position < $1.position } ?? created
    return (newest.time, newest.session)
  }
}

extension Explainer {
  /// The reasons why pending work is not done.
  func reasons(
    of entity: PromiseEntity, _ place: WorkPlace, circle: [PromiseID]
  ) throws(LedgerError) -> [Explanation.Reason] {
    switch place.phase {
    case .parked: [.parked(parking(of: entity))] + cancellation(of: entity)
    case .running(let session): try runReasons(entity, place, session)
    case .waiting(let trigger):
      try reasons(of: entity, place, waitingFor: trigger, circle) + timesAhead(of: entity)
    }
  }

  /// The time by which clocks that are right may differ.
  private static let clockTolerance = Duration.seconds(60)

  /// The reason that the times of the work come from a clock that was ahead.
  private func timesAhead(of entity: PromiseEntity) -> [Explanation.Reason] {
    let (time, session) = entity.newestTrace
    guard time > now + Self.clockTolerance else { return [] }
    return [.waits(.forTimesAhead(entity.id, of: session, since: time))]
  }

  // MARK: Parked

  private func parking(of entity: PromiseEntity) -> Explanation.Parking {
    let (id, progress) = (entity.id, entity.progress)
    let since = progress?.parking?.time ?? entity.created.time
    guard let progress, let parking = progress.parking, let release = progress.release,
      release.fact.position == parking.position
    else {
      return .byOperator(id, progress?.parking?.session ?? entity.created.session, since: since)
    }
    guard release.event.reason == .parked else {
      return .byDeaths(id, Int(progress.deathCount), since: since)
    }
    return .byFailure(
      id, failureCount: Int(progress.failureCount), release.event.error, since: since)
  }

  // MARK: Running

  private func runReasons(
    _ entity: PromiseEntity, _ place: WorkPlace, _ session: SessionID
  ) throws(LedgerError) -> [Explanation.Reason] {
    let attempt = Explanation.Attempt(
      promise: entity.id, kind: place.kind, number: Int(entity.progress?.attempt ?? 0),
      session: session, since: entity.progress?.start?.time ?? entity.created.time)
    let overdueAt = place.overdueAt.flatMap { now >= $0 ? $0 : nil }
    let tooLong = overdueAt.map { Explanation.Run.tooLong(attempt, mayBeTakenOverSince: $0) }
    let runs: [Explanation.Run] =
      switch try presence(of: session) {
      case .gone: [.inLostProcess(attempt)]
      case .frozen: [.inFrozenSession(attempt)] + [tooLong].compactMap(\.self)
      case .alive: [tooLong ?? .inLivingProcess(attempt)]
      }
    return runs.map(Explanation.Reason.runs) + cancellation(of: entity)
  }

  private func cancellation(of entity: PromiseEntity) -> [Explanation.Reason] {
    guard let request = entity.progress?.cancelRequest else { return [] }
    return [
      .runs(.toBeCancelled(entity.id, reason: request.reason, since: request.fact.time))
    ]
  }

  // MARK: Waiting

  private func reasons(
    of entity: PromiseEntity, _ place: WorkPlace, waitingFor trigger: WorkTrigger,
    _ circle: [PromiseID]
  ) throws(LedgerError) -> [Explanation.Reason] {
    let reach = try trigger.reach(at: now, since: entity.readySince) {
      (id) throws(LedgerError) in try state.readablePromise(id)
    }
    switch reach {
    case .pending:
      guard circle.isEmpty else {
        return [.waits(.inCircle(circle, since: entity.readySince))]
      }
      return try waits(of: entity, trigger).map(Explanation.Reason.waits)
    case .excluded(let promise, let since):
      let wait = Explanation.Wait.toPassOn(
        promise.id, promise.resolution?.outcome, since: since)
      return [.waits(wait)] + dueWithoutSession(place, since)
    case .reached(let since):
      return try dueReasons(entity, place, since) + cancellation(of: entity)
    }
  }

  private func waits(
    of entity: PromiseEntity, _ trigger: WorkTrigger
  ) throws(LedgerError) -> [Explanation.Wait] {
    guard let parts = trigger.parts else { return [] }
    let since = entity.readySince
    var waits: [Explanation.Wait] = []
    for id in parts.promises {
      let promise = try block(id.entityID) == nil ? try state.readablePromise(id) : nil
      waits.append(
        promise != nil
          ? .forPromise(id, parts.settlement, since: since)
          : .forUnreadablePromise(id, since: since))
    }
    if let time = parts.time {
      let progress = entity.progress
      for failed in progress?.retriedSteps(trigger) ?? [] {
        waits.append(
          .forStepRetry(
            entity.id, step: failed.step.description, at: time, failureCount: Int(failed.count),
            progress?.release?.event.error, since: since))
      }
      guard waits.count == parts.promises.count else { return waits }
      waits.append(
        entity.isRetry(trigger)
          ? .forRetry(
            entity.id, at: time, failureCount: Int(progress?.failureCount ?? 0),
            progress?.release?.event.error, since: since)
          : .forTime(time, since: since))
    }
    return waits
  }

  // MARK: Due

  private func dueReasons(
    _ entity: PromiseEntity, _ place: WorkPlace, _ since: Timestamp
  ) throws(LedgerError) -> [Explanation.Reason] {
    let options = try entity.workOptions()
    let mayBeUndoing = entity.progress?.mayBeUndoing ?? false
    if let time = options.givesUpAfter, now >= time, !mayBeUndoing {
      return [.due(.tooLate(since: time, kind: place.kind))] + dueWithoutSession(place, since)
    }
    if let block = try laneBlock(entity.id, place) {
      return [.lane(block)] + dueWithoutSession(place, since)
    }
    var reasons = dueWithoutSession(place, since)
    if reasons.isEmpty {
      reasons = [.due(.withSessions(presences.living, kind: place.kind, since: since))]
    }
    if let progress = entity.progress, progress.isSuspect {
      reasons.append(.due(.asSuspect(deathCount: Int(progress.deathCount), kind: place.kind)))
    }
    return reasons
  }

  private func dueWithoutSession(
    _ place: WorkPlace, _ since: Timestamp
  ) -> [Explanation.Reason] {
    presences.living.isEmpty ? [.due(.withoutSession(kind: place.kind, since: since))] : []
  }
}
