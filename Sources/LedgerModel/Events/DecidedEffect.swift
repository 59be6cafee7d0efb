import LedgerBytes

extension DecidedEffect {
  /// The kinds of effects that the code of a handler can request.
  @nonexhaustive public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// Fulfil a promise with a value.
    case fulfillPromise = 0
    /// Reject a promise with an error.
    case rejectPromise = 1
    /// Cancel a promise.
    case cancelPromise = 2
    /// Create a promise.
    case createPromise = 3
    /// Create a handler.
    case createHandler = 4
    /// Call a handler.
    case callHandler = 5
    /// Invalidate a handler.
    case invalidateHandler = 6

    /// Whether the effect creates an entity.
    var isCreation: Bool { self == .createPromise || self == .createHandler }
  }
}

extension DecidedEffect {
  /// The verdict on an effect, decided when the call finished.
  @nonexhaustive public enum Verdict: UInt8, Sendable, Hashable, CaseIterable {
    /// The effect was carried out.
    case done = 0
    /// The effect had been carried out before, according to its idempotency key.
    case deduplicated = 1
    /// The promise already had an outcome.
    case alreadyResolved = 2
    /// The promise or handler does not exist, or compaction removed its record.
    case notFound = 3
    /// The promise was abandoned.
    case abandoned = 4
    /// A promise or handler with this key exists, or existed before compaction removed its record.
    case exists = 5
    /// The type of the value differs from that of the promise, or an argument of the call is missing or has the
    /// wrong type.
    case typeMismatch = 6
    /// The one-shot handler has an unfinished call.
    case alreadyRunning = 7
    /// The one-shot handler was already called.
    case finished = 8
    /// The handler was invalidated.
    case invalidated = 9
    /// The session does not know the handler's kind.
    case unregistered = 10
    /// The subject has an event that this build does not understand.
    case blocked = 11

    /// Whether the requested effect is in place, from now or from before.
    public var isSuccess: Bool { self == .done || self == .deduplicated }
  }
}

/// An effect of a call and its verdict.
public struct DecidedEffect: Sendable, Hashable {
  /// The kind of the effect.
  public let effect: Kind
  /// The verdict on the effect.
  public let verdict: Verdict
  /// The promise or handler that the effect concerns.
  public let subject: EntityID

  package init(_ effect: Kind, _ verdict: Verdict, on subject: EntityID) {
    self.effect = effect
    self.verdict = verdict
    self.subject = subject
  }
}

// MARK: - Encoding

extension [UInt8] {
  /// Appends effects with their number.
  mutating func appendEffects(_ effects: [DecidedEffect]) {
    appendLittleEndian(UInt32(clamping: effects.count))
    for effect in effects {
      append(contentsOf: [effect.effect.rawValue, effect.verdict.rawValue, 0, 0, 0, 0, 0, 0])
      effect.subject.append(to: &self)
    }
  }
}

extension PayloadReader {
  /// Reads effects with their number.
  mutating func decidedEffects() throws(PayloadDamage) -> [DecidedEffect] {
    let count: UInt32 = try integer()
    var effects: [DecidedEffect] = []
    for _ in 0..<count {
      let effect: DecidedEffect.Kind = try choice("effect")
      let verdict: DecidedEffect.Verdict = try choice("verdict")
      try skip(6)
      effects.append(DecidedEffect(effect, verdict, on: try entityID()))
    }
    return effects
  }
}
