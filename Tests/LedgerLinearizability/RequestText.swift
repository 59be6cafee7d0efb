// Requests as words of a line, as a process prints them.

extension PromiseRequest: CustomStringConvertible {
  package var description: String {
    switch self {
    case .create(let isStrict): "create \(strictness(isStrict))"
    case .settle(let outcome, let key, let isStrict):
      "settle \(outcome) \(key ?? "-") \(strictness(isStrict))"
    case .abandon: "abandon"
    case .consume(let session): "consume \(session)"
    case .handle: "handle"
    case .consumeHandled(let session): "consume-handled \(session)"
    case .read: "read"
    case .outcome: "outcome"
    }
  }

  package init?(_ words: some Sequence<Substring>) {
    let words = words.map(String.init)
    switch (words.first, words.count) {
    case ("create", 2): self = .create(isStrict: words[1] == strictness(true))
    case ("settle", 4):
      self = .settle(
        outcome: words[1], key: words[2] == "-" ? nil : words[2],
        isStrict: words[3] == strictness(true))
    case ("abandon", 1): self = .abandon
    case ("consume", 2): self = .consume(session: words[1])
    case ("read", 1): self = .read
    case ("outcome", 1): self = .outcome
    default: return nil
    }
  }
}

private func strictness(_ isStrict: Bool) -> String { isStrict ? "strict" : "lax" }

extension HandlerRequest: CustomStringConvertible {
  package var description: String {
    switch self {
    case .create(let value, let isRepeating):
      "create \(value) \(isRepeating ? "repeating" : "one-shot")"
    case .rebind(let value): "rebind \(value)"
    case .invalidate: "invalidate"
    case .start(let session, let call): "start \(session) \(call)"
    case .finish(let session, let call): "finish \(session) \(call)"
    case .read: "read"
    case .sessionEnds(let session): "session-ends \(session)"
    case .isLeft(let call): "is-left \(call)"
    }
  }

  /// A request that a process prints; the others are made of its notes.
  package init?(_ words: some Sequence<Substring>) {
    let words = words.map(String.init)
    switch (words.first, words.count) {
    case ("create", 3): self = .create(value: words[1], isRepeating: words[2] == "repeating")
    case ("rebind", 2): self = .rebind(value: words[1])
    case ("invalidate", 1): self = .invalidate
    case ("read", 1): self = .read
    default: return nil
    }
  }
}

extension WorkRequest: CustomStringConvertible {
  package var description: String {
    switch self {
    case .start: "start"
    case .cancel(let reason): "cancel \(reason)"
    case .force(let outcome): "force \(outcome)"
    case .read: "read"
    case .outcome: "outcome"
    case .codeReturns(let value): "code-returns \(value)"
    }
  }

  package init?(_ words: some Sequence<Substring>) {
    let words = words.map(String.init)
    switch (words.first, words.count) {
    case ("start", 1): self = .start
    case ("cancel", 2): self = .cancel(reason: words[1])
    case ("force", 2): self = .force(outcome: words[1])
    case ("read", 1): self = .read
    case ("outcome", 1): self = .outcome
    case ("code-returns", 2): self = .codeReturns(value: words[1])
    default: return nil
    }
  }
}
