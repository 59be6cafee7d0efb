import LedgerRuntime

extension EventDetails {
  /// Adds the content of an event about a promise; `false` if it is about something else.
  mutating func addPromise(
    _ event: LedgerEvent, in inspector: BlockingInspector
  ) throws(LedgerError) -> Bool {
    if let created = try event.decode(as: PromiseCreated.self) {
      add(created)
      addSource(of: created, event)
    } else if let resolved = try event.decode(as: PromiseResolved.self) {
      try add(resolved, of: event, in: inspector)
    } else if let consumed = try event.decode(as: PromiseConsumed.self) {
      switch consumed.delivery {
      case .recordedBefore: add("delivery", .string("recordedBefore"), "recorded before delivery")
      case .recordedAfter: add("delivery", .string("recordedAfter"), "recorded after delivery")
      }
    } else if let abandoned = try event.decode(as: PromiseAbandoned.self) {
      add("reason", .string(abandoned.reason), "reason \(abandoned.reason.quoted)")
    } else {
      return false
    }
    return true
  }

  private mutating func add(_ created: PromiseCreated) {
    if let label = created.label { add("label", .string(label), label.quoted) }
    if let key = created.key { add("key", .string(key), "key \(key.quoted)") }
    let tag = created.typeTag
    add("typeTag", .string(tag), "type \(tag.escapingControlCharacters)")
    if !created.tags.isEmpty {
      add(
        "tags", .strings(created.tags),
        "tags \(created.tags.map(\.quoted).joined(separator: " "))")
    }
    if let deadline = created.deadline {
      // By that time it may already have another outcome.
      let effect = created.deadlineEffect == .fulfils ? "fulfils itself" : "times out"
      add("deadline", .string("\(deadline)"), "\(effect) at \(deadline)")
      members["deadlineEffect"] = .string("\(created.deadlineEffect)")
    }
    // By default a promise with a key is repeatable by that key, so that is not worth mentioning.
    if let key = created.idempotencyKey {
      members["idempotencyKey"] = .string(key)
      if key != created.key { words.append("idempotency key \(key.quoted)") }
    }
  }

  private mutating func add(
    _ resolved: PromiseResolved, of event: LedgerEvent, in inspector: BlockingInspector
  ) throws(LedgerError) {
    add("outcome", .string("\(resolved.outcome)"), resolved.outcome.words)
    members["resolvedAt"] = .string("\(resolved.resolvedAt)")
    var effects: [DecidedEffect] = []
    var value = resolved.content
    // A large value is not read; only its size is shown.
    if value == nil, resolved.attempt != nil || [.rejected, .cancelled].contains(resolved.outcome) {
      value = try inspector.attachment(of: event)
    }
    if let attempt = resolved.attempt {
      add(attempt: attempt)
      (effects, value) = try PromiseResolved.outcome(ofAttempt: value ?? [])
    }
    switch resolved.outcome {
    case .rejected:
      add(try StoredError(decoding: value ?? []))
    case .fulfilled:
      add(value: value, byteCount: event.attachmentByteCount)
    case .cancelled:
      let reason = String(decoding: value ?? [], as: UTF8.self)
      add("reason", .string(reason), reason.quoted)
    case .timedOut:
      words.append("at \(resolved.resolvedAt)")
    }
    if let key = resolved.idempotencyKey {
      add("idempotencyKey", .string(key), "idempotency key \(key.quoted)")
    }
    add(effects)
  }

  mutating func add(_ error: StoredError) {
    var members = error.members
    if let payload = error.payload {
      let bytes = ContentText(payload.bytes)
      members["payload"] = .object([
        "typeTag": .string(payload.typeTag), bytes.jsonName(for: "value"): .string(bytes.text),
      ])
    }
    let code = error.code.map { " \($0)" } ?? ""
    add(
      "error", .object(members),
      "\(error.domain.escapingControlCharacters)\(code) \(error.message.clipped.quoted)")
  }

  /// Adds a value. One stored beside the event is not read; only its size is shown.
  mutating func add(value: [UInt8]?, byteCount: Int) {
    guard let value else {
      return add("valueByteCount", .integer(Int64(byteCount)), "\(byteCount) bytes")
    }
    guard !value.isEmpty else { return }
    let content = ContentText(value)
    add(content.jsonName(for: "value"), .string(content.text), content.words)
  }
}

extension PromiseOutcomeKind {
  fileprivate var words: String { self == .timedOut ? "timed out" : "\(self)" }
}
