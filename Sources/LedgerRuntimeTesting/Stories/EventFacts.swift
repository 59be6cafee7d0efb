import LedgerModel
import LedgerRuntime

/// What an event says, in parts.
extension EventLine {
  static func facts(
    of event: LedgerEvent, _ attachment: [UInt8]
  ) throws(LedgerError) -> [Fact] {
    if let created: PromiseCreated = try event.decode() {
      return try facts(of: created, attachment)
    }
    if let resolved: PromiseResolved = try event.decode() {
      return try facts(of: resolved, resolved.content ?? attachment)
    }
    if let consumed: PromiseConsumed = try event.decode() {
      return [Fact("delivery", "\(consumed.delivery)")]
    }
    if let abandoned: PromiseAbandoned = try event.decode() {
      return [Fact("reason", abandoned.reason)]
    }
    if let opened: SessionOpened = try event.decode() { return [Fact("role", "\(opened.role)")] }
    if let closed: SessionClosed = try event.decode() {
      return [Fact("reason", "\(closed.reason)")]
    }
    if let facts = try factsOfWork(event, attachment) { return facts }
    return try factsOfHandler(event, attachment)
  }

  // MARK: Promises

  private static func facts(
    of created: PromiseCreated, _ attachment: [UInt8]
  ) throws(LedgerError) -> [Fact] {
    var facts: [Fact] = []
    if let key = created.key { facts.append(Fact("key", key)) }
    if let label = created.label { facts.append(Fact("label", label)) }
    facts.append(Fact("type", created.typeTag))
    facts += created.tags.map { Fact("tag", $0) }
    if let joint = created.joint { facts.append(Fact("joint", "\(joint.rule)")) }
    if let work = created.work { facts.append(Fact("work", work.kind)) }
    if let deadline = created.deadline { facts.append(Fact(deadline: deadline)) }
    if let work = created.work { facts += try arguments(work.arguments, attachment) }
    return facts
  }

  private static func facts(
    of resolved: PromiseResolved, _ content: [UInt8]
  ) throws(LedgerError) -> [Fact] {
    let outcome = try PromiseOutcome<String>(resolved, content)
    guard resolved.attempt != nil else { return [Fact("outcome", outcome.words)] }
    let effects = try PromiseResolved.outcome(ofAttempt: content).effects
    return [Fact("outcome", outcome.words)] + effects.compactMap(Fact.init)
  }

  // MARK: Joints

  /// - Parameter isJoint: Whether other promises settle the subject. The event of its fulfilment holds no value.
  init(_ event: LedgerEvent, attachment: [UInt8], isJoint: Bool) throws(LedgerError) {
    guard isJoint, let resolved: PromiseResolved = try event.decode(),
      resolved.outcome == .fulfilled
    else {
      try self.init(event, attachment: attachment)
      return
    }
    let input = try PromiseResolved.input(inJointContent: resolved.content ?? attachment)
    let value =
      input.map { Fact("value", "that", of: $0.entityID) } ?? Fact("value", "those of its inputs")
    self.init(
      kind: event.kind, subject: event.subject, facts: [Fact("outcome", "fulfilled"), value])
  }

  /// Whether it is the fulfilment of a joint. That of another promise has its value in the outcome.
  var isFulfilmentOfJoint: Bool {
    kind == .promiseResolved && facts.contains { $0.name == "value" }
  }

  // MARK: Work

  private static func factsOfWork(
    _ event: LedgerEvent, _ attachment: [UInt8]
  ) throws(LedgerError) -> [Fact]? {
    if let started: WorkStarted = try event.decode() { return [Fact("attempt", started.attempt)] }
    if let released: WorkReleased = try event.decode() {
      let error = released.error.map { [Fact("error", $0.allWords)] } ?? []
      return [Fact("attempt", released.attempt), Fact("reason", "\(released.reason)")] + error
    }
    if let step: WorkStepFinished = try event.decode() {
      return try facts(of: step, step.content ?? attachment)
    }
    if let request: WorkCancelRequested = try event.decode() {
      return [Fact("reason", request.reason)]
    }
    if let amended: WorkAmended = try event.decode() { return try facts(of: amended, attachment) }
    return nil
  }

  private static func facts(
    of amended: WorkAmended, _ attachment: [UInt8]
  ) throws(LedgerError) -> [Fact] {
    var facts = [Fact("parking", "\(amended.parking)")]
    if let trigger = amended.trigger { facts += Fact.facts(of: trigger) }
    if let options = amended.options {
      facts.append(Fact("options", options == WorkOptions() ? "default" : "\(options)"))
    }
    if let changed = amended.arguments {
      let bound = try arguments(changed.arguments, attachment)
      facts += bound.isEmpty ? [Fact("arguments", "none")] : bound
    }
    return facts
  }

  private static func facts(
    of step: WorkStepFinished, _ content: [UInt8]
  ) throws(LedgerError) -> [Fact] {
    let (effects, result) = try PromiseResolved.outcome(ofAttempt: content)
    var facts = [Fact("step", step.step), Fact("outcome", "\(step.outcome)")]
    switch step.outcome {
    case .value: facts += Fact.value(result, step.typeTag)
    case .failure: facts.append(Fact("error", try StoredError(decoding: result).allWords))
    case .cancelled: facts.append(Fact("reason", result.asText))
    }
    return facts + effects.compactMap(Fact.init)
  }

  // MARK: Handlers

  private static func factsOfHandler(
    _ event: LedgerEvent, _ attachment: [UInt8]
  ) throws(LedgerError) -> [Fact] {
    if let created: HandlerCreated = try event.decode() {
      var facts = [Fact("kind", created.handlerKind)]
      if let key = created.key { facts.append(Fact("key", key)) }
      if let label = created.label { facts.append(Fact("label", label)) }
      return try facts + arguments(created.arguments, attachment)
    }
    if let rebound: HandlerRebound = try event.decode() {
      return try [Fact("mode", "\(rebound.mode)")] + arguments(rebound.arguments, attachment)
    }
    if let started: HandlerCallStarted = try event.decode() {
      return try [Fact("attempt", started.attempt)] + arguments(started.arguments, attachment)
    }
    if let released: HandlerCallReleased = try event.decode() {
      return [Fact("attempt", released.attempt), Fact("reason", "\(released.reason)")]
    }
    if let finished: HandlerCallFinished = try event.decode() {
      return try facts(of: finished.end, attachment)
    }
    if let invalidated: HandlerInvalidated = try event.decode() {
      return try [Fact("reason", invalidated.reason)] + arguments(invalidated.arguments, attachment)
    }
    if let finished: HandlerInvalidationFinished = try event.decode() {
      return try facts(of: finished.end, attachment)
    }
    return []
  }

  /// - Parameter stored: The arguments; `nil` if they are the attachment.
  private static func arguments(
    _ stored: StoredArguments?, _ attachment: [UInt8]
  ) throws(LedgerError) -> [Fact] {
    if let stored { return Fact.arguments(stored) }
    return Fact.arguments(try StoredArguments(decoding: attachment))
  }

  private static func facts(
    of end: HandlerCallFinished.End, _ attachment: [UInt8]
  ) throws(LedgerError) -> [Fact] {
    let report: HandlerCallFinished.Report
    if let inline = end.report {
      report = inline
    } else {
      report = try HandlerCallFinished.Report(decoding: attachment, outcome: end.outcome)
    }
    var facts = [Fact("attempt", end.attempt), Fact("outcome", "\(end.outcome)")]
    switch report.result {
    case .returned(let typeTag, let bytes): facts += Fact.value(bytes, typeTag)
    case .failed(let error): facts.append(Fact("error", error.allWords))
    }
    return facts + report.effects.compactMap(Fact.init)
  }
}

// MARK: - Parts

extension EventLine.Fact {
  /// The facts of a value that code returned.
  static func value(_ bytes: [UInt8], _ typeTag: String) -> [Self] {
    [Self("type", typeTag), Self("value", bytes.asText)]
  }

  static func arguments(_ stored: StoredArguments) -> [Self] {
    stored.arguments.map { argument in
      let value = argument.isErased ? "erased" : "\(argument.typeTag) \(argument.payload.asText)"
      return Self("argument", "\(argument.name) = \(value)")
    }
  }

  /// Whether it is a fulfilment, with whatever value.
  var isFulfilment: Bool {
    name == "outcome" && (text == "fulfilled" || text.hasPrefix("fulfilled with "))
  }

  /// The facts of a condition under which work becomes due.
  fileprivate static func facts(of trigger: WorkTrigger) -> [Self] {
    switch trigger {
    case .now: [Self("trigger", "now")]
    case .at(let time): [Self("trigger", "at \(time)")]
    case .after(let promise, let settlement):
      [Self("trigger", "\(settlement) outcome", of: promise.entityID)]
    case .firstOf(let condition):
      (condition.time.map { [Self("trigger", "at \($0)")] } ?? [])
        + condition.promises.map { Self("trigger", "any outcome", of: $0.entityID) }
    }
  }

  /// A deadline, to the nanosecond.
  init(deadline: Timestamp) {
    let rest = deadline.nanosecondsSinceEpoch % 1_000
    self.init("deadline", rest == 0 ? "\(deadline)" : "\(deadline) and \(rest) ns")
  }

  /// An effect that was refused.
  init(
    refused effect: DecidedEffect.Kind, _ verdict: DecidedEffect.Verdict,
    of subject: EntityID? = nil
  ) {
    self.init("refused", "\(effect) (\(verdict))", of: subject)
  }

  /// An effect that was not carried out; `nil` for one that was, which has an event of its own.
  fileprivate init?(_ decided: DecidedEffect) {
    guard decided.verdict != .done else { return nil }
    guard decided.verdict != .deduplicated else {
      self.init("repeated", "\(decided.effect)", of: decided.subject)
      return
    }
    self.init(refused: decided.effect, decided.verdict, of: decided.subject)
  }
}
