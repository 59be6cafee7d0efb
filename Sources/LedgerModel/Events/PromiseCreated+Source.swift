extension PromiseCreated {
  /// The time up to which a promise is open.
  @nonexhaustive public enum Lifetime: UInt8, Sendable, Hashable, CaseIterable {
    /// Until its outcome is consumed, or it is abandoned.
    case untilConsumed = 0
    /// Until it is settled. Its outcome needs no consumption, and can be read until its record is removed.
    case untilSettled = 1
  }

  /// The origin of a promise's outcome.
  @nonexhaustive public enum Source: Sendable, Hashable {
    /// Any session may resolve the promise.
    case outside
    /// The result of code settles the promise.
    // Indirect, because most promises have none, and are copied often.
    indirect case work(Work)
    /// The outcomes of other promises settle the promise.
    indirect case joint(Joint)
  }

  /// The code whose result settles a promise, with its arguments, its trigger and its options.
  public struct Work: Sendable, Hashable {
    /// The stable name of the kind of handler that is run.
    public let kind: String
    /// The condition under which the work becomes due.
    public let trigger: WorkTrigger
    /// The priority, lane, limits and retry policy of the work.
    public let options: WorkOptions
    /// The promises and handlers in the arguments.
    public let references: HandlerReferences
    /// The arguments, or `nil` if they are large and stored beside the event.
    public fileprivate(set) var arguments: StoredArguments?

    package init(
      kind: String, trigger: WorkTrigger = .now, options: WorkOptions = WorkOptions(),
      references: HandlerReferences = .none, arguments: StoredArguments? = StoredArguments.none
    ) {
      self.kind = kind
      self.trigger = trigger
      self.options = options
      self.references = references
      self.arguments = arguments
    }
  }
}

extension PromiseCreated: AttachablePayload {
  package var attachable: [UInt8]? { work?.arguments?.encoded }

  package var isDetached: Bool { work.map { $0.arguments == nil } ?? false }

  package mutating func detachContent() {
    guard case .work(var work) = source else { return }
    work.arguments = nil
    source = .work(work)
  }

  package func check(_ content: [UInt8]) throws(LedgerError) {
    _ = try StoredArguments(decoding: content)
  }

  /// The work, if the promise is settled by code.
  public var work: Work? {
    if case .work(let work) = source { work } else { nil }
  }
}

// MARK: - Encoding

extension PromiseCreated.Source {
  enum Number: UInt8 {
    case outside = 0
    case work = 1
    case joint = 2
  }

  var number: Number {
    switch self {
    case .outside: .outside
    case .work: .work
    case .joint: .joint
    }
  }
}

extension PromiseCreated.Work {
  func append(to bytes: inout [UInt8]) {
    bytes.appendText(kind)
    trigger.append(to: &bytes)
    options.append(to: &bytes)
    references.append(to: &bytes)
    if let arguments { bytes.append(contentsOf: arguments.encoded) }
  }

  /// - Parameter isDetached: Whether the arguments are stored beside the event.
  init(reading reader: inout PayloadReader, isDetached: Bool) throws(PayloadDamage) {
    kind = try reader.name(.handlerKind)
    trigger = try WorkTrigger(reading: &reader)
    options = try WorkOptions(reading: &reader)
    references = try HandlerReferences(reading: &reader)
    arguments = isDetached ? nil : try StoredArguments(parsing: reader.rest())
  }
}
