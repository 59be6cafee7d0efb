extension WorkTrigger {
  /// Whether a trigger is reached.
  enum Reach {
    case pending
    case reached(since: Timestamp)
    /// The awaited promise was settled in another way.
    case excluded(PromiseEntity, since: Timestamp)
  }

  /// The parts of a trigger: the work is due at the time, or when one of the promises is settled.
  struct Parts {
    var time: Timestamp?
    var promises: [PromiseID] = []
    var settlement = Settlement.any
  }

  /// The parts; `nil` if the work is due at once.
  var parts: Parts? {
    switch self {
    case .now: nil
    case .at(let time): Parts(time: time)
    case .after(let promise, let settlement): Parts(promises: [promise], settlement: settlement)
    case .firstOf(let condition): Parts(time: condition.time, promises: condition.promises)
    }
  }

  /// The promise without whose settlement work never becomes due.
  var indispensable: PromiseID? {
    guard let parts, parts.time == nil, parts.promises.count == 1 else { return nil }
    return parts.promises.first
  }

  func reach(
    at now: Timestamp, since ready: Timestamp,
    lookUp: (PromiseID) throws(LedgerError) -> PromiseEntity?
  ) throws(LedgerError) -> Reach {
    guard let parts else { return .reached(since: ready) }
    if let time = parts.time, now >= time { return .reached(since: max(time, ready)) }
    for id in parts.promises {
      guard let promise = try lookUp(id), promise.status != .pending else { continue }
      let since = max(promise.settledAt, ready)
      return parts.settlement.includes(promise.resolution?.outcome)
        ? .reached(since: since) : .excluded(promise, since: since)
    }
    return .pending
  }
}
