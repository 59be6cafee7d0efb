/// What the code of a handler asked of the ledger.
public enum EffectKind: UInt8, Sendable, Hashable, CaseIterable {
  /// Give a promise a value.
  case fulfillPromise = 0
  /// Give a promise an error.
  case rejectPromise = 1
  /// Cancel a promise.
  case cancelPromise = 2
  /// Make a promise.
  case createPromise = 3
  /// Make a handler.
  case createHandler = 4
  /// Call a handler.
  case callHandler = 5
  /// Withdraw a handler.
  case invalidateHandler = 6

  /// Whether it makes something new.
  var isCreation: Bool { self == .createPromise || self == .createHandler }
}

/// What became of an effect, decided when the call finished.
public enum EffectVerdict: UInt8, Sendable, Hashable, CaseIterable {
  /// It was carried out.
  case done = 0
  /// It had been carried out before, as its idempotency key tells.
  case deduplicated = 1
  /// The promise had an outcome.
  case alreadyResolved = 2
  /// There is no such promise or handler, or not any more: compaction removed its record.
  case notFound = 3
  /// The promise was given up.
  case abandoned = 4
  /// There is a promise or handler with this key already, or there was one, and compaction removed its
  /// record.
  case exists = 5
  /// The value has another type than the promise, or an argument of the call is missing or has another
  /// type than the handler wants.
  case typeMismatch = 6
  /// The one-shot handler has a call that is not finished.
  case alreadyRunning = 7
  /// The one-shot handler was called.
  case finished = 8
  /// The handler was withdrawn.
  case invalidated = 9
  /// The handler's kind is not known to the session.
  case unregistered = 10
  /// The subject has an event that this build does not understand.
  case blocked = 11

  /// Whether what was asked for is there, now or from before.
  public var isSuccess: Bool { self == .done || self == .deduplicated }
}

/// An effect of a call and what became of it.
public struct DecidedEffect: Sendable, Hashable {
  /// What was asked.
  public let effect: EffectKind
  /// What became of it.
  public let verdict: EffectVerdict
  /// The promise or handler that it was about.
  public let subject: EntityID

  package init(_ effect: EffectKind, _ verdict: EffectVerdict, on subject: EntityID) {
    self.effect = effect
    self.verdict = verdict
    self.subject = subject
  }
}
