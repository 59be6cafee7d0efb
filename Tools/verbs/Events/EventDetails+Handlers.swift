import LedgerRuntime

extension EventDetails {
  /// Adds the content of an event about a handler; `false` if it is about something else.
  mutating func addHandler(
    _ event: LedgerEvent, in inspector: BlockingInspector
  ) throws(LedgerError) -> Bool {
    if let created = try event.decode(as: HandlerCreated.self) {
      add(created)
      add(created.arguments, created.references, of: event)
    } else if let rebound = try event.decode(as: HandlerRebound.self) {
      add("mode", .string("\(rebound.mode)"), "\(rebound.mode)")
      add(rebound.arguments, rebound.references, of: event)
    } else if let started = try event.decode(as: HandlerCallStarted.self) {
      add(started.call, started.attempt)
      // All attempts have the arguments of the first.
      if started.attempt == 1 { add(started.arguments, started.references, of: event) }
    } else if let released = try event.decode(as: HandlerCallReleased.self) {
      add(released.call, released.attempt)
      add("reason", .string("\(released.reason)"), released.reason.words)
    } else if let finished = try event.decode(as: HandlerCallFinished.self) {
      try add(finished.end, of: event, in: inspector)
    } else if let finished = try event.decode(as: HandlerInvalidationFinished.self) {
      try add(finished.end, of: event, in: inspector)
    } else if let invalidated = try event.decode(as: HandlerInvalidated.self) {
      add(invalidated)
      add(invalidated.arguments, invalidated.references, of: event)
    } else {
      return false
    }
    return true
  }

  private mutating func add(_ created: HandlerCreated) {
    if let label = created.label { add("label", .string(label), label.quoted) }
    if let key = created.key { add("key", .string(key), "key \(key.quoted)") }
    let kind = created.handlerKind
    add("handlerKind", .string(kind), "kind \(kind.quoted)")
    let repetition = created.repetition == .oneShot ? "one-shot" : "repeating"
    add("repetition", .string("\(created.repetition)"), repetition)
    if !created.scopes.isEmpty {
      add(
        "scopes", .strings(created.scopes),
        "scopes \(created.scopes.map(\.quoted).joined(separator: " "))")
    }
  }

  private mutating func add(_ invalidated: HandlerInvalidated) {
    if !invalidated.reason.isEmpty {
      add("reason", .string(invalidated.reason), "reason \(invalidated.reason.quoted)")
    }
    members["runsCode"] = .bool(invalidated.runsCode)
    if invalidated.runsCode {
      add(invalidated.call, 1)
    } else {
      words.append("no code runs")
    }
  }

  private mutating func add(_ call: CallID, _ attempt: UInt32) {
    add("call", .string("\(call)"), "call \(call.entityID.shortText)")
    add(attempt: attempt)
  }

  /// Adds the number of an attempt.
  mutating func add(attempt: UInt32) {
    add("attempt", .integer(Int64(attempt)), "attempt \(attempt)")
  }

  // MARK: Arguments

  /// Adds arguments. Those stored beside the event are not read; only their size is shown.
  mutating func add(
    _ arguments: StoredArguments?, _ references: HandlerReferences, of event: LedgerEvent
  ) {
    if let arguments {
      for argument in arguments.arguments { words.append(argument.words) }
      if !arguments.arguments.isEmpty {
        members["arguments"] = arguments.json
      }
    } else {
      let count = event.attachmentByteCount
      add("argumentsByteCount", .integer(Int64(count)), "arguments of \(count) bytes")
    }
    if !references.promises.isEmpty {
      members["promises"] = .strings(references.promises.map(\.description))
      let ids = references.promises.map(\.entityID.shortText).joined(separator: " ")
      words.append("refers to promise \(ids)")
    }
    if !references.handlers.isEmpty {
      members["handlers"] = .strings(references.handlers.map(\.description))
      let ids = references.handlers.map(\.entityID.shortText).joined(separator: " ")
      words.append("refers to handler \(ids)")
    }
  }

  // MARK: Ends

  private mutating func add(
    _ end: HandlerCallFinished.End, of event: LedgerEvent, in inspector: BlockingInspector
  ) throws(LedgerError) {
    add(end.call, end.attempt)
    add("outcome", .string("\(end.outcome)"), "\(end.outcome)")
    let report = try inspector.report(of: event, end)
    switch report.result {
    case .failed(let error): add(error)
    case .returned(let typeTag, let bytes):
      add("typeTag", .string(typeTag), "type \(typeTag.escapingControlCharacters)")
      add(value: bytes, byteCount: bytes.count)
    }
    add(report.effects)
  }

  /// Adds the effects of code, if there are any.
  mutating func add(_ effects: [DecidedEffect]) {
    guard !effects.isEmpty else { return }
    members["effects"] = .array(effects.map(\.member))
    words.append(contentsOf: effects.map(\.words))
  }
}

extension BlockingInspector {
  /// The report of the end of a call; `nil` if an event is not about one.
  func finishReport(of event: LedgerEvent) throws(LedgerError) -> HandlerCallFinished.Report? {
    if let finished = try event.decode(as: HandlerCallFinished.self) {
      return try report(of: event, finished.end)
    }
    if let finished = try event.decode(as: HandlerInvalidationFinished.self) {
      return try report(of: event, finished.end)
    }
    return nil
  }

  /// The report of an end, wherever it is stored.
  fileprivate func report(
    of event: LedgerEvent, _ end: HandlerCallFinished.End
  ) throws(LedgerError) -> HandlerCallFinished.Report {
    if let report = end.report { return report }
    return try HandlerCallFinished.Report(decoding: attachment(of: event), outcome: end.outcome)
  }
}

extension DecidedEffect {
  fileprivate var words: String {
    "\(effect.words) \(subject.shortText) \(verdict.words)"
  }

  fileprivate var member: JSONValue {
    .object([
      "effect": .string("\(effect)"), "verdict": .string("\(verdict)"),
      "subject": .string("\(subject)"),
    ])
  }
}

extension DecidedEffect.Kind {
  fileprivate var words: String {
    switch self {
    case .fulfillPromise: "fulfill promise"
    case .rejectPromise: "reject promise"
    case .cancelPromise: "cancel promise"
    case .createPromise: "create promise"
    case .createHandler: "create handler"
    case .callHandler: "call handler"
    case .invalidateHandler: "invalidate handler"
    }
  }
}

extension DecidedEffect.Verdict {
  fileprivate var words: String {
    switch self {
    case .alreadyResolved: "already resolved"
    case .notFound: "not found"
    case .typeMismatch: "type mismatch"
    case .alreadyRunning: "already running"
    default: "\(self)"
    }
  }
}
