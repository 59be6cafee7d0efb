import LedgerRuntime

extension Record {
  /// The columns of a list of work.
  static let workColumns = [
    .name, .id, Column("state", width: 8), Column("kind", width: 20), .time("since"),
    Column("details"),
  ]

  init(work record: PromiseRecord, _ standing: WorkStanding) {
    cells = [
      record.nameText ?? "", "\(record.id)", standing.state.rawValue,
      (record.work?.kind ?? "").escapingControlCharacters, "\(standing.since)",
      record.workWords(standing, isNamed: true).joined(separator: ", "),
    ]
    guard case .object(var members) = Report(record, forProgramsOnly: true).json else {
      json = .object([:])
      return
    }
    members["workState"] = .string(standing.state.rawValue)
    members["since"] = .string("\(standing.since)")
    members["presence"] = standing.presence.map { .string("\($0)") }
    json = .object(members)
  }
}

extension Record {
  /// Work whose promise was rejected or timed out.
  init(failedWork record: PromiseRecord) {
    var words = [record.outcomeKind == .timedOut ? "timed out" : "rejected"]
    if record.key != nil, let label = record.label { words.append(label.quoted) }
    if case .rejected(let error)? = record.outcome {
      words.append(error.description.clipped.escapingControlCharacters)
    }
    let since = record.resolved?.time ?? record.created.time
    cells = [
      record.nameText ?? "", "\(record.id)", "failed",
      (record.work?.kind ?? "").escapingControlCharacters, "\(since)",
      words.joined(separator: ", "),
    ]
    guard case .object(var members) = Report(record, forProgramsOnly: true).json else {
      json = .object([:])
      return
    }
    members["workState"] = .string("failed")
    members["since"] = .string("\(since)")
    json = .object(members)
  }
}

extension PromiseRecord {
  /// The facts about work and its state, in a line of a table.
  ///
  /// - Parameter isNamed: Whether ``nameText`` is shown elsewhere in the line.
  func workWords(_ standing: WorkStanding, isNamed: Bool = false) -> [String] {
    var words: [String] = []
    if let label, !isNamed || key != nil { words.append(label.quoted) }
    if let key, !isNamed { words.append("key \(key.quoted)") }
    guard let work else { return words }
    if let session = standing.session, let presence = standing.presence {
      words.append(
        "attempt \(work.attemptCount) in session \(session.entityID.shortText), \(presence.words)")
    } else {
      if case .waiting(let trigger) = work.state { words += trigger.words }
      if work.attemptCount > 0 {
        words.append(work.attemptCount == 1 ? "1 attempt" : "\(work.attemptCount) attempts")
      }
    }
    if work.deathCount > 0 {
      words.append(work.deathCount == 1 ? "1 death" : "\(work.deathCount) deaths")
    }
    if let error = work.lastError {
      words.append("last error \(error.description.escapingControlCharacters)")
    }
    if let reason = work.cancelReason { words.append("to be cancelled \(reason.quoted)") }
    if let lane = work.options.lane { words.append("lane \(lane.name.quoted)") }
    if work.options.priority != 0 { words.append("priority \(work.options.priority)") }
    if let deadline { words.append("deadline \(deadline)") }
    return words
  }
}

extension SessionRecord.Presence {
  /// Whether the process is there, for people.
  fileprivate var words: String { self == .gone ? Liveness.dead.words : "\(self)" }
}

extension WorkTrigger {
  /// What the work waits for, for people.
  var words: [String] {
    switch self {
    case .now: []
    case .at(let time): ["at \(time)"]
    case .after(let promise, _): ["after promise \(promise.entityID.shortText)"]
    case .firstOf(let condition):
      (condition.time.map { ["at \($0)"] } ?? [])
        + condition.promises.map { "after promise \($0.entityID.shortText)" }
    @unknown default: []
    }
  }
}
