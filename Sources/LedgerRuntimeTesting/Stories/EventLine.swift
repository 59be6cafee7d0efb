import LedgerModel
import LedgerRuntime

/// An event in words that two runs of a test have in common: without its position, time and session.
struct EventLine: Sendable, Hashable {
  /// A part of what an event says.
  struct Fact: Sendable, Hashable {
    let name: String
    let text: String

    init(_ name: String, _ text: some CustomStringConvertible) {
      self.name = name
      self.text = text.description
    }
  }

  let kind: EventKind
  let subject: EntityID
  let facts: [Fact]

  init(kind: EventKind, subject: EntityID, facts: [Fact]) {
    self.kind = kind
    self.subject = subject
    self.facts = facts
  }

  init(_ event: LedgerEvent, attachment: [UInt8]) throws(LedgerError) {
    kind = event.kind
    subject = event.subject
    facts = try Self.facts(of: event, attachment)
  }

  /// Whether the event says something, byte for byte.
  func says(_ fact: Fact) -> Bool {
    facts.contains { $0.name == fact.name && $0.text.utf8.elementsEqual(fact.text.utf8) }
  }

  private static func facts(
    of event: LedgerEvent, _ attachment: [UInt8]
  ) throws(LedgerError) -> [Fact] {
    if let created: PromiseCreated = try event.decode() { return facts(of: created) }
    if let resolved: PromiseResolved = try event.decode() {
      let outcome = try PromiseOutcome<String>(resolved, resolved.content ?? attachment)
      return [Fact("outcome", outcome.words)]
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
    return try factsOfCode(event)
  }

  private static func facts(of created: PromiseCreated) -> [Fact] {
    var facts: [Fact] = []
    if let key = created.key { facts.append(Fact("key", key)) }
    if let label = created.label { facts.append(Fact("label", label)) }
    if let work = created.work { facts.append(Fact("work", work.kind)) }
    if let deadline = created.deadline { facts.append(Fact("deadline", deadline)) }
    return facts
  }

  /// The facts of events of work and handlers.
  private static func factsOfCode(_ event: LedgerEvent) throws(LedgerError) -> [Fact] {
    if let started: WorkStarted = try event.decode() { return [Fact("attempt", started.attempt)] }
    if let released: WorkReleased = try event.decode() {
      return [Fact("attempt", released.attempt), Fact("reason", "\(released.reason)")]
    }
    if let step: WorkStepFinished = try event.decode() {
      return [Fact("step", step.step), Fact("outcome", "\(step.outcome)")]
    }
    if let request: WorkCancelRequested = try event.decode() {
      return [Fact("reason", request.reason)]
    }
    if let created: HandlerCreated = try event.decode() {
      return [Fact("kind", created.handlerKind)] + (created.key.map { [Fact("key", $0)] } ?? [])
    }
    if let started: HandlerCallStarted = try event.decode() {
      return [Fact("attempt", started.attempt)]
    }
    if let released: HandlerCallReleased = try event.decode() {
      return [Fact("attempt", released.attempt), Fact("reason", "\(released.reason)")]
    }
    if let finished: HandlerCallFinished = try event.decode() {
      return [Fact("attempt", finished.end.attempt), Fact("outcome", "\(finished.end.outcome)")]
    }
    if let invalidated: HandlerInvalidated = try event.decode() {
      return [Fact("reason", invalidated.reason)]
    }
    return []
  }
}

extension PromiseOutcome<String> {
  /// The outcome in a stored resolution, with its value as text.
  init(_ resolved: PromiseResolved, _ content: [UInt8]) throws(LedgerError) {
    let value = try resolved.value(in: content)
    switch resolved.outcome {
    case .fulfilled: self = .fulfilled(value.asText)
    case .rejected: self = .rejected(try StoredError(decoding: value))
    case .cancelled: self = .cancelled(reason: value.asText)
    case .timedOut: self = .timedOut
    }
  }

  /// The outcome in words, the same for equal outcomes only.
  var words: String {
    switch self {
    case .fulfilled(let text): text.isEmpty ? "fulfilled" : "fulfilled with \(text)"
    case .rejected(let error): "rejected with \(error.allWords)"
    case .cancelled(let reason): "cancelled: \(reason)"
    case .timedOut: "timed out"
    }
  }
}

extension StoredError {
  /// The whole error in words.
  fileprivate var allWords: String {
    let code = code.map { " \($0)" } ?? ""
    let payload = payload.map { " (\($0.typeTag) \($0.bytes.asText))" } ?? ""
    return "\(domain)\(code): \(message)\(payload)"
  }
}

extension [UInt8] {
  /// The bytes as text, or their numbers if they are none: the same for equal bytes only.
  var asText: String {
    guard let text = String(validating: self, as: UTF8.self) else { return "bytes \(self)" }
    var rest = text[...]
    while rest.hasPrefix("text ") { rest.removeFirst(5) }
    return rest.hasPrefix("bytes [") ? "text \(text)" : text
  }
}
