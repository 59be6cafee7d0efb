import LedgerRuntime

extension EventDetails {
  /// Adds the content of an event about work; `false` if it is about something else.
  mutating func addWork(
    _ event: LedgerEvent, in inspector: BlockingInspector
  ) throws(LedgerError) -> Bool {
    if let started = try event.decode(as: WorkStarted.self) {
      add(attempt: started.attempt)
    } else if let released = try event.decode(as: WorkReleased.self) {
      add(released)
    } else if let finished = try event.decode(as: WorkStepFinished.self) {
      try add(finished, of: event, in: inspector)
    } else if let requested = try event.decode(as: WorkCancelRequested.self) {
      add("reason", .string(requested.reason), "reason \(requested.reason.quoted)")
    } else if let amended = try event.decode(as: WorkAmended.self) {
      add(amended, of: event)
    } else {
      return false
    }
    return true
  }

  /// Adds a change of work. What is set to a default has words, too.
  private mutating func add(_ amended: WorkAmended, of event: LedgerEvent) {
    if amended.parking != .unchanged {
      add("parking", .string("\(amended.parking)"), "\(amended.parking)")
    }
    if let trigger = amended.trigger {
      if trigger == .now { add("trigger", .string("now"), "due at once") }
      add(trigger)
    }
    members["hasOptions"] = .bool(amended.options != nil)
    if let options = amended.options {
      let count = words.count
      add(options)
      if words.count == count { words.append("default options") }
    }
    members["hasArguments"] = .bool(amended.arguments != nil)
    if let arguments = amended.arguments {
      let count = words.count
      add(arguments.arguments, arguments.references, of: event)
      if words.count == count { words.append("no arguments") }
    }
  }

  private mutating func add(_ released: WorkReleased) {
    add(attempt: released.attempt)
    let reason = released.reason == .notRunnable ? "not runnable" : "\(released.reason)"
    add("reason", .string("\(released.reason)"), reason)
    if let time = released.retryTime {
      add("retryTime", .string("\(time)"), "next attempt at \(time)")
    }
    if released.failureCount > 0 {
      let count = released.failureCount
      let words = count == 1 ? "1 failure" : "\(count) failures"
      add("failureCount", .integer(Int64(count)), words)
    }
    if let condition = released.condition { add(.firstOf(condition)) }
    if !released.awaited.isEmpty {
      members["awaited"] = .strings(released.awaited.map(\.description))
    }
    for failures in released.stepFailures {
      let words = failures.count == 1 ? "failed once" : "failed \(failures.count) times"
      self.words.append("step \("\(failures.step)".quoted) \(words)")
    }
    if !released.stepFailures.isEmpty {
      members["stepFailures"] = .object(
        Dictionary(
          released.stepFailures.map { ("\($0.step)", .integer(Int64($0.count))) },
          uniquingKeysWith: { $1 }))
    }
    if let error = released.error { add(error) }
  }

  private mutating func add(
    _ finished: WorkStepFinished, of event: LedgerEvent, in inspector: BlockingInspector
  ) throws(LedgerError) {
    add(attempt: finished.attempt)
    add("step", .string("\(finished.step)"), "step \("\(finished.step)".quoted)")
    add("outcome", .string("\(finished.outcome)"), "\(finished.outcome)")
    members["startedAt"] = .string("\(finished.startedAt)")
    if finished.failureCount > 0 {
      let count = finished.failureCount
      let words = count == 1 ? "1 failure" : "\(count) failures"
      add("failureCount", .integer(Int64(count)), words)
    }
    if !finished.typeTag.isEmpty {
      add(
        "typeTag", .string(finished.typeTag), "type \(finished.typeTag.escapingControlCharacters)")
    }
    var content = finished.content ?? []
    if finished.content == nil { content = try inspector.attachment(of: event) }
    let (effects, result) = try PromiseResolved.outcome(ofAttempt: content)
    switch finished.outcome {
    case .failure: add(try StoredError(decoding: result))
    case .cancelled:
      let reason = String(decoding: result, as: UTF8.self)
      add("reason", .string(reason), reason.quoted)
    default: add(value: result, byteCount: event.attachmentByteCount)
    }
    add(effects)
  }

  /// Adds what a creation says of the origin of the outcome, if it is not the default.
  mutating func addSource(of created: PromiseCreated, _ event: LedgerEvent) {
    if created.lifetime == .untilSettled {
      add("lifetime", .string("untilSettled"), "until it is settled")
    }
    if let parent = created.parent {
      add("parent", .string("\(parent)"), "parent \(parent.entityID.shortText)")
    }
    if let joint = created.joint {
      add("rule", .string("\(joint.rule)"), "joint of \(joint.inputs.count) (\(joint.rule))")
      members["inputs"] = .strings(joint.inputs.map(\.description))
      if joint.depth > 0 { members["depth"] = .integer(Int64(joint.depth)) }
    }
    guard let work = created.work else { return }
    add("handlerKind", .string(work.kind), "kind \(work.kind.quoted)")
    add(work.trigger)
    add(work.options)
    add(work.arguments, work.references, of: event)
  }

  private mutating func add(_ trigger: WorkTrigger) {
    switch trigger {
    case .now: break
    case .at(let time): add("dueTime", .string("\(time)"), "due at \(time)")
    case .after(let promise, let settlement):
      add("awaitedPromise", .string("\(promise)"), "after promise \(promise.entityID.shortText)")
      add("settlement", .string("\(settlement)"), "if \(settlement.words)")
    case .firstOf(let condition):
      if let time = condition.time { add("dueTime", .string("\(time)"), "due at \(time)") }
      guard !condition.promises.isEmpty else { return }
      members["awaitedPromises"] = .strings(condition.promises.map(\.description))
      let names = condition.promises.map(\.entityID.shortText).joined(separator: " or ")
      words.append("after promise \(names)")
    @unknown default: break
    }
  }

  private mutating func add(_ options: WorkOptions) {
    if options.priority != 0 {
      add("priority", .integer(Int64(options.priority)), "priority \(options.priority)")
    }
    if let lane = options.lane {
      add("lane", .string(lane.name), "lane \(lane.name.quoted)")
      add("laneWidth", .integer(Int64(lane.width)), "\(lane.width) at once")
    }
    if let limit = options.attemptTimeout {
      add("attemptTimeout", .string("\(limit)"), "\(limit) an attempt")
    }
    if let time = options.givesUpAfter {
      add("givesUpAfter", .string("\(time)"), "given up after \(time)")
    }
    if let policy = options.retryPolicy { add(policy) }
  }

  private mutating func add(_ policy: WorkRetryPolicy) {
    let limit = policy.failureLimit
    var member: [String: JSONValue] = [
      "firstDelay": .string("\(policy.firstDelay)"),
      "longestDelay": .string("\(policy.longestDelay)"), "factor": .string("\(policy.factor)"),
      "givingUp": .string("\(policy.givingUp)"),
    ]
    if let limit { member["failureLimit"] = .integer(Int64(limit)) }
    members["retryPolicy"] = .object(member)
    let failures = limit.map { "up to \($0) failures" } ?? "any number of failures"
    words.append("retried after \(failures), then \(policy.givingUp)")
  }
}

extension WorkTrigger.Settlement {
  fileprivate var words: String {
    switch self {
    case .fulfilled: "it is fulfilled"
    case .failed: "it fails"
    case .any: "it is settled"
    }
  }
}
