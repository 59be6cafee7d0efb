import LedgerRuntime

extension Report {
  /// All facts that a ledger has about one handler.
  ///
  /// - Parameter runners: Whether the sessions that run its calls go on, if that is known.
  init(_ record: HandlerRecord, _ runners: [SessionID: Liveness] = [:]) {
    self.init()
    add("handler", "id", record.id.description)
    add("state", "state", "\(record.status)")
    add("kind", "handlerKind", record.kind)
    add("repetition", "repetition", .string("\(record.repetition)"), text: record.repetitionWords)
    if let key = record.key { add("key", "key", key) }
    if let label = record.label { add("label", "label", label) }
    if !record.scopes.isEmpty {
      let text = record.scopes.map(\.quoted).joined(separator: " ")
      add("scopes", "scopes", .strings(record.scopes), text: text)
    }
    add(record.bound, record.references)
    add("created", "created", record.created)
    if !record.openCalls.isEmpty { add(record.openCalls, runners) }
    if let finish = record.lastFinish {
      add("last run", "lastFinish", .object(finish.members), text: finish.words)
    }
    if let invalidation = record.invalidation {
      add("invalidated", "invalidated", invalidation.trace)
      add("reason", "invalidationReason", invalidation.reason)
    }
  }

  private mutating func add(_ bound: StoredArguments, _ references: HandlerReferences) {
    for argument in bound.arguments { addLine("argument", argument.words) }
    if !bound.arguments.isEmpty { add("arguments", bound.json) }
    let promises = references.promises.map(\.description)
    for promise in promises { addLine("refers to", "promise \(promise)") }
    if !promises.isEmpty { add("promises", .strings(promises)) }
    let handlers = references.handlers.map(\.description)
    for handler in handlers { addLine("refers to", "handler \(handler)") }
    if !handlers.isEmpty { add("handlers", .strings(handlers)) }
  }

  private mutating func add(_ calls: [UnfinishedCall], _ runners: [SessionID: Liveness]) {
    for call in calls {
      addLine("open call", "\(call.name(call.id.description)), begun \(call.firstStart.words)")
      if call.attempt > 1 { addLine("newest run", "begun \(call.newestStart.words)") }
      if let release = call.release { addLine("given back", release.words) }
      if let runner = call.runner(runners) { addLine("its session", runner.words) }
    }
    add("openCalls", .array(calls.map { .object($0.members(runners)) }))
  }
}

extension HandlerRecord {
  /// Whether it can be called more than once, for people.
  var repetitionWords: String {
    switch repetition {
    case .oneShot: "one-shot"
    case .repeating: "repeating"
    }
  }
}

extension HandlerRecord.Finish {
  fileprivate var members: [String: JSONValue] {
    trace.members.merging([
      "call": .string("\(call)"), "purpose": .string("\(purpose)"),
      "attempt": .integer(Int64(attempt)), "outcome": .string("\(outcome)"),
    ]) { $1 }
  }

  fileprivate var words: String {
    "\(purpose) \(call), attempt \(attempt), \(outcome) \(trace.words)"
  }
}

extension UnfinishedCall {
  fileprivate func runner(_ runners: [SessionID: Liveness]) -> Liveness? {
    release == nil ? runners[newestStart.session] : nil
  }

  fileprivate func members(_ runners: [SessionID: Liveness]) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "call": .string("\(id)"), "purpose": .string("\(purpose)"),
      "attempt": .integer(Int64(attempt)), "firstStart": .object(firstStart.members),
      "newestStart": .object(newestStart.members), "isRunning": .bool(release == nil),
    ]
    members["liveness"] = runner(runners).map { .string($0.rawValue) }
    members["release"] = release.map { .string("\($0)") }
    return members
  }

  fileprivate func name(_ id: String) -> String { "\(purpose) \(id), attempt \(attempt)" }

  /// The call in a line of a table.
  func words(_ runners: [SessionID: Liveness]) -> String {
    let session = newestStart.session.entityID.shortText
    let name = name(id.entityID.shortText)
    guard let release else {
      let runner = runner(runners).map { ", \($0.words)" } ?? ""
      return "\(name), run by session \(session)\(runner)"
    }
    return "\(name), given back by session \(session): \(release.words)"
  }
}
