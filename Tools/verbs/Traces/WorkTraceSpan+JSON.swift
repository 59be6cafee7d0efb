import LedgerRuntime

extension WorkTrace.Span {
  /// The span as JSON.
  ///
  /// - Parameter created: The creation of the promise, from which its start is measured.
  func json(since created: Timestamp) -> JSONValue {
    var members = contentMembers
    members["start"] = .string("\(start)")
    members["offset"] = .string("\(start - created)")
    members["position"] = .unsigned(position.rawValue)
    members["session"] = .string("\(session)")
    if !isMoment, let end {
      members["end"] = .string("\(end)")
      members["duration"] = .string("\(end - start)")
    }
    return .object(members)
  }

  private var contentMembers: [String: JSONValue] {
    switch content {
    case .queued(let trigger): return ["span": .string("queued")].merging(trigger.members) { $1 }
    case .deleted: return ["span": .string("deleted")]
    case .attempt(let attempt): return attempt.members
    case .step(let step): return step.members
    case .pause(let step, let attempt, let time):
      return [
        "span": .string("pause"), "step": .string("\(step)"),
        "attempt": .integer(Int64(attempt)), "until": .string("\(time)"),
      ]
    case .idle(let released): return released.idleMembers
    case .cancelRequest(let reason):
      return ["span": .string("cancelRequest"), "reason": .string(reason)]
    case .amendment(let amended): return amended.members
    case .settlement(let outcome, let error):
      var members: [String: JSONValue] = [
        "span": .string("settlement"), "outcome": .string("\(outcome)"),
      ]
      members["error"] = error.map { .object($0.members) }
      return members
    case .abandonment(let reason):
      return ["span": .string("abandonment"), "reason": .string(reason)]
    case .unreadable(let kind, let isDamaged):
      return [
        "span": .string("unreadable"), "kind": .string("\(kind)"), "isDamaged": .bool(isDamaged),
      ]
    @unknown default: return ["span": .string("unknown")]
    }
  }
}

extension WorkTrace.Attempt {
  fileprivate var members: [String: JSONValue] {
    var members: [String: JSONValue] = [
      "span": .string("attempt"), "attempt": .integer(Int64(number)),
      "lastSign": .string("\(lastSign)"),
    ]
    if tookOver { members["tookOver"] = .bool(true) }
    switch end {
    case nil: break
    case .released(let released):
      members["reason"] = .string("\(released.reason)")
      members["failureCount"] = .integer(Int64(released.failureCount))
      members["error"] = released.error.map { .object($0.members) }
    case .tookOver(let session): members["takenOverBy"] = .string("\(session)")
    case .settled(let outcome, let byCode):
      members["outcome"] = .string("\(outcome)")
      members["isByCode"] = .bool(byCode)
    case .abandoned: members["outcome"] = .string("abandoned")
    @unknown default: break
    }
    return members
  }
}

extension WorkTrace.Step {
  fileprivate var members: [String: JSONValue] {
    var members: [String: JSONValue] = [
      "span": .string("step"), "step": .string("\(identity)"),
      "attempt": .integer(Int64(attempt)), "failureCount": .integer(Int64(failureCount)),
    ]
    switch outcome {
    case .value(let typeTag, let bytes):
      members["outcome"] = .string("value")
      members["typeTag"] = .string(typeTag)
      if let content = bytes.map(ContentText.init) {
        members[content.jsonName(for: "value")] = .string(content.text)
      }
    case .failure(let error):
      members["outcome"] = .string("failure")
      members["error"] = error.map { .object($0.members) }
    case .cancelled(let reason):
      members["outcome"] = .string("cancelled")
      members["reason"] = .string(reason)
    @unknown default: break
    }
    return members
  }
}

extension WorkReleased {
  fileprivate var idleMembers: [String: JSONValue] {
    var members: [String: JSONValue] = [
      "span": .string(reason == .waiting ? "wait" : "released"),
      "attempt": .integer(Int64(attempt)), "reason": .string("\(reason)"),
    ]
    members["retryTime"] = retryTime.map { .string("\($0)") }
    if let condition {
      members.merge(WorkTrigger.firstOf(condition).members) { $1 }
    }
    if !awaited.isEmpty { members["awaited"] = .strings(awaited.map(\.description)) }
    if !stepFailures.isEmpty {
      members["stepFailures"] = .object(
        Dictionary(
          stepFailures.map { ("\($0.step)", .integer(Int64($0.count))) }, uniquingKeysWith: { $1 })
      )
    }
    return members
  }
}

extension WorkAmended {
  fileprivate var members: [String: JSONValue] {
    var members: [String: JSONValue] = [
      "span": .string("amendment"), "parking": .string("\(parking)"),
      "hasOptions": .bool(options != nil), "hasArguments": .bool(arguments != nil),
    ]
    if let trigger {
      members["trigger"] = .string(trigger == .now ? "now" : "later")
      members.merge(trigger.members) { $1 }
    }
    return members
  }
}

extension WorkTrigger {
  /// The members of a JSON object that tell what work waits for.
  fileprivate var members: [String: JSONValue] {
    switch self {
    case .now: return [:]
    case .at(let time): return ["dueTime": .string("\(time)")]
    case .after(let promise, let settlement):
      return [
        "awaitedPromises": .strings(["\(promise)"]), "settlement": .string("\(settlement)"),
      ]
    case .firstOf(let condition):
      var members: [String: JSONValue] = [
        "awaitedPromises": .strings(condition.promises.map(\.description))
      ]
      members["dueTime"] = condition.time.map { .string("\($0)") }
      return members
    @unknown default: return [:]
    }
  }
}
