import LedgerRuntime

extension PromiseRecord {
  /// The word by which the page filters promises: the outcome, if there is one.
  var stateWord: String {
    guard let outcome = outcomeKind else {
      return status == .abandoned ? "abandoned" : "pending"
    }
    return outcome == .timedOut ? "timed out" : "\(outcome)"
  }

  /// The event by which it ended; `nil` while something may still happen to it.
  var end: Position? {
    if let closing = consumed ?? abandoned { return closing.position }
    // Without the need for a consumer, it ends when it is settled.
    return lifetime == .untilSettled ? resolved?.position : nil
  }
}

extension HandlerRecord {
  /// The word by which the page filters handlers.
  var stateWord: String {
    if !openCalls.isEmpty { return "running" }
    return lastFinish?.outcome == .failed ? "failed" : "\(status)"
  }

  /// The event by which it ended; `nil` while it can be called, or runs.
  var end: Position? {
    guard status != .active, openCalls.isEmpty else { return nil }
    let positions = [lastFinish?.trace.position, invalidation?.trace.position]
    return positions.compactMap(\.self).max()
  }
}

extension Record {
  /// It on the page, which also has to know whether the outcome of the promise needs no consumer.
  func onPage(of promise: PromiseRecord) -> Record {
    guard promise.lifetime == .untilSettled, case .object(var members) = json else { return self }
    members["lifetime"] = .string("untilSettled")
    return Record(cells: cells, json: .object(members))
  }

  /// Work whose promise is settled.
  init(settledWork record: PromiseRecord) {
    var words: [String] = []
    if record.key != nil, let label = record.label { words.append(label.quoted) }
    switch record.outcome {
    case .rejected(let error): words.append(error.description.clipped.escapingControlCharacters)
    case .cancelled(let reason) where !reason.isEmpty:
      words.append("reason \(reason.clipped.quoted)")
    default: break
    }
    if let count = record.work?.attemptCount, count > 0 {
      words.append(count == 1 ? "1 attempt" : "\(count) attempts")
    }
    cells = [
      record.nameText ?? "", "\(record.id)", record.stateWord,
      (record.work?.kind ?? "").escapingControlCharacters,
      "\(record.resolved?.time ?? record.created.time)", words.joined(separator: ", "),
    ]
    json = Report(record, forProgramsOnly: true).json
  }
}

extension OverviewFinding {
  /// It in the overview of the page.
  func pageFacts(for ledger: LedgerWords, _ now: Timestamp) -> JSONValue {
    guard case .object(var members) = json(of: ledger) else { return .object([:]) }
    members["words"] = .string(words(at: now))
    members["command"] = .string(command(of: ledger))
    return .object(members)
  }
}
