import LedgerRuntime

extension Report {
  /// Adds the facts about the work of a promise.
  mutating func add(_ work: WorkRecord) {
    add("kind", "handlerKind", work.kind)
    switch work.state {
    case .waiting(let trigger): add(trigger)
    case .running(let session): add("runs in", "runningSession", session.description)
    case .parked: add("work", "workState", "parked")
    case .ended: break
    }
    if work.options.priority != 0 {
      add("priority", "priority", Int(work.options.priority))
    }
    if let lane = work.options.lane {
      add("lane width", "laneWidth", lane.width)
      add("lane", "lane", lane.name)
    }
    add("attempts", "attempts", work.attemptCount)
    if work.failureCount > 0 { add("failures", "failures", work.failureCount) }
    if work.deathCount > 0 { add("deaths", "deaths", work.deathCount) }
    if let error = work.lastError {
      let text = error.description.escapingControlCharacters
      add("last error", "lastError", .object(error.members), text: text)
    }
    if let reason = work.cancelReason { add("to be cancelled", "cancelReason", reason) }
  }

  private mutating func add(_ trigger: WorkTrigger) {
    switch trigger {
    case .now: break
    case .at(let time): add("due at", "dueTime", time)
    case .after(let promise, let settlement):
      add("awaits", "awaitedPromise", promise.description)
      add("settlement", "settlement", "\(settlement)")
    case .firstOf(let condition):
      if let time = condition.time { add("due at", "dueTime", time) }
      for promise in condition.promises { addLine("awaits", promise.description) }
      add("awaitedPromises", .array(condition.promises.map { .string($0.description) }))
    @unknown default: break
    }
  }
}
