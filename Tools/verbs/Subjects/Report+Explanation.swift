import LedgerRuntime

extension Report {
  /// The reasons why a promise or handler waits.
  init(_ explanation: Explanation, of subject: Subject) {
    self.init()
    switch subject {
    case .promise(let record):
      add("promise", "id", explanation.id.description)
      add("state", "state", "\(record.status)")
      if let key = record.key { add("key", "key", key) }
      if let label = record.label { add("label", "label", label) }
      if let work = record.work { add("kind", "handlerKind", work.kind) }
    case .handler(let record):
      add("handler", "id", explanation.id.description)
      add("state", "state", "\(record.status)")
      if let key = record.key { add("key", "key", key) }
      if let label = record.label { add("label", "label", label) }
      add("kind", "handlerKind", record.kind)
    case .session: add("session", "id", explanation.id.description)
    }
    for reason in explanation.reasons {
      addLine("reason", "\(reason)".escapingControlCharacters)
      for remedy in reason.remedies { addLine("  action", "\(remedy)".escapingControlCharacters) }
    }
    add("reasons", .array(explanation.reasons.map(\.json)))
    if !explanation.chain.isEmpty {
      let chain = explanation.chain.map(\.description)
      add("chain", "chain", .strings(chain), text: chain.joined(separator: " "))
    }
  }
}

extension Explanation.Reason {
  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = [
      "reason": .string(name), "text": .string(description),
      "actions": .array(
        remedies.map {
          .object(["action": .string($0.name), "text": .string($0.description)])
        }),
    ]
    if let since { members["since"] = .string("\(since)") }
    if let until { members["until"] = .string("\(until)") }
    if !promises.isEmpty { members["promises"] = .strings(promises.map(\.description)) }
    if !handlers.isEmpty { members["handlers"] = .strings(handlers.map(\.description)) }
    if !sessions.isEmpty { members["sessions"] = .strings(sessions.map(\.description)) }
    return .object(members)
  }
}
