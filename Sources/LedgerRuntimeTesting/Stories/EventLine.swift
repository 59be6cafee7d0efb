import LedgerModel
import LedgerRuntime

/// An event in words that two runs of a test have in common: without its position, time and session.
struct EventLine: Sendable, Hashable {
  /// A part of what an event says.
  struct Fact: Sendable, Hashable {
    let name: String
    let text: String
    /// An entity that the fact is about. It follows the text in a line, and is not compared.
    let subject: EntityID?

    init(_ name: String, _ text: some CustomStringConvertible, of subject: EntityID? = nil) {
      self.name = name
      self.text = text.description
      self.subject = subject
    }

    /// Whether two facts say the same, byte for byte.
    func agrees(with other: Fact) -> Bool {
      name == other.name && text.utf8.elementsEqual(other.text.utf8)
    }

    /// The fact with the first characters of its text.
    func shortened(to count: Int) -> Fact {
      text.count > count ? Fact(name, text.prefix(count) + "…", of: subject) : self
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
  func says(_ fact: Fact) -> Bool { facts.contains { $0.agrees(with: fact) } }

  /// Whether these are all facts of a name, in their order.
  func says(exactly facts: [Fact], named name: String) -> Bool {
    let own = self.facts.filter { $0.name == name }
    return own.count == facts.count && zip(own, facts).allSatisfy { $0.agrees(with: $1) }
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
  /// The whole error in words, the same for equal errors only: a part that could be taken for more is in quotes.
  var allWords: String {
    let domain = domain.quoted(ifContains: [" ", ":"])
    let code = code.map { " \($0)" } ?? ""
    let message = message.quoted(ifContains: [" ("])
    let payload =
      payload.map { " (\($0.typeTag.quoted(ifContains: [" "])) \($0.bytes.asText))" } ?? ""
    return "\(domain)\(code): \(message)\(payload)"
  }
}

extension String {
  /// The text, in quotes if it contains a separator, byte for byte, or begins with a quote.
  fileprivate func quoted(ifContains separators: [String]) -> String {
    let bytes = Array(utf8)
    let isAmbiguous = separators.contains { separator in
      bytes.indices.contains { bytes[$0...].starts(with: separator.utf8) }
    }
    guard isAmbiguous || bytes.first == UInt8(ascii: "\"") else { return self }
    var quoted = "\""
    for scalar in unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
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
