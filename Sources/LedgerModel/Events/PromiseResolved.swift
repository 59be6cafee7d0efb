import LedgerBytes

/// The outcome of a promise, without its value or error.
public enum PromiseOutcomeKind: UInt8, Sendable, Hashable, CaseIterable {
  /// The promise has a value.
  case fulfilled = 0
  /// The promise failed with an error.
  case rejected = 1
  /// The promise was cancelled, with a reason.
  case cancelled = 2
  /// The deadline passed while the promise was pending.
  case timedOut = 3
}

/// The payload of the event that records the resolution of a promise.
public struct PromiseResolved: EventPayload, Hashable {
  public static let kind = EventKind.promiseResolved

  /// The outcome of the promise.
  public let outcome: PromiseOutcomeKind
  /// The time of the resolution; for a timeout this is the deadline, which may be long before the event's
  /// time.
  public let resolvedAt: Timestamp
  /// A key that identifies repetitions of the same resolution.
  public let idempotencyKey: String?
  /// The number of the attempt whose code settled the promise; `nil` if it was settled otherwise.
  public let attempt: UInt32?
  /// The encoded value, error or reason, or `nil` if it is large and stored beside the event. If an attempt
  /// settled the promise, the effects of its code come first, as the article *File format* says.
  public private(set) var content: [UInt8]?

  package init(
    outcome: PromiseOutcomeKind, resolvedAt: Timestamp, idempotencyKey: String? = nil,
    attempt: UInt32? = nil, content: [UInt8]?
  ) {
    self.outcome = outcome
    self.resolvedAt = resolvedAt
    self.idempotencyKey = idempotencyKey
    self.attempt = attempt
    self.content = content
  }
}

// MARK: - The end of an attempt

extension PromiseResolved {
  /// The content of a resolution by an attempt: the effects of its code, then the value or the error.
  package static func content(effects: [DecidedEffect], then value: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendEffects(effects)
    bytes += value
    return bytes
  }

  /// Takes the content of a resolution by an attempt apart.
  ///
  /// - Throws: ``LedgerError/Code/corrupt`` if the bytes do not begin with effects.
  package static func outcome(
    ofAttempt content: [UInt8]
  ) throws(LedgerError) -> (effects: [DecidedEffect], value: [UInt8]) {
    do throws(PayloadDamage) {
      var reader = PayloadReader(content)
      let effects = try reader.decidedEffects()
      return (effects, reader.rest())
    } catch {
      throw LedgerError(.corrupt, "The effects of an attempt are damaged: \(error.what).")
    }
  }

  /// The value, error or reason in the content of the resolution, without the effects of an attempt.
  ///
  /// - Throws: ``LedgerError/Code/corrupt`` if the content of a resolution by an attempt does not begin with
  ///   effects.
  package func value(in content: [UInt8]) throws(LedgerError) -> [UInt8] {
    attempt == nil ? content : try Self.outcome(ofAttempt: content).value
  }

  /// Checks that the content can be decoded, but for the value of a fulfilment.
  ///
  /// - Throws: ``LedgerError/Code/corrupt``.
  package func check(_ content: [UInt8]) throws(LedgerError) {
    let value = try value(in: content)
    if outcome == .rejected { _ = try StoredError(decoding: value) }
  }
}

extension PromiseResolved: AttachablePayload {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let idempotencyKey = Flags(rawValue: 1)
    static let attachment = Flags(rawValue: 2)
    /// Set by version 2.
    static let attempt = Flags(rawValue: 4)
    static let all = Flags(rawValue: 7)
  }

  public static var newestVersion: UInt16 { 2 }

  public var version: UInt16 { attempt == nil ? 1 : 2 }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags = Flags(rawValue: try reader.integer())
      guard flags.isSubset(of: .all) else {
        throw PayloadDamage(what: "the flags \(flags.rawValue) are unknown")
      }
      let outcome: PromiseOutcomeKind = try reader.choice("outcome")
      try reader.skip(6)
      return Self(
        outcome: outcome,
        resolvedAt: Timestamp(nanosecondsSinceEpoch: try reader.integer()),
        idempotencyKey: flags.contains(.idempotencyKey) ? try reader.text() : nil,
        attempt: flags.contains(.attempt) ? try reader.attempt() : nil,
        content: flags.contains(.attachment) ? nil : reader.rest())
    }
  }

  public var encoded: [UInt8] {
    var flags: Flags = []
    if idempotencyKey != nil { flags.insert(.idempotencyKey) }
    if content == nil { flags.insert(.attachment) }
    if attempt != nil { flags.insert(.attempt) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16 + (content?.count ?? 0) + (idempotencyKey?.utf8.count ?? 0) + 2)
    bytes.append(flags.rawValue)
    bytes.append(outcome.rawValue)
    bytes.append(contentsOf: repeatElement(0, count: 6))
    bytes.appendLittleEndian(resolvedAt.nanosecondsSinceEpoch)
    if let idempotencyKey { bytes.appendText(idempotencyKey) }
    if let attempt { bytes.appendLittleEndian(attempt) }
    if let content { bytes.append(contentsOf: content) }
    return bytes
  }

  /// Checks the numbers and lengths of an encoded payload without decoding its texts, so that replay stays
  /// fast.
  package static func isWellFormed(_ payload: [UInt8]) -> Bool {
    payload.count >= 16 && Flags(rawValue: payload[0]).isSubset(of: .all)
      && PromiseOutcomeKind(rawValue: payload[1]) != nil
      && hasRoomForTexts(payload)
  }

  /// Reads the outcome without decoding the rest.
  ///
  /// - Precondition: The payload is well-formed.
  package static func outcome(ofEncoded payload: [UInt8]) -> PromiseOutcomeKind {
    PromiseOutcomeKind(rawValue: payload[1]) ?? .cancelled
  }

  /// Reads the time without decoding the rest.
  ///
  /// - Precondition: The payload is well-formed.
  static func resolvedAt(ofEncoded payload: [UInt8]) -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: payload.span.loadLittleEndian(at: 8))
  }

  /// Checks whether an attempt settled the promise, without decoding the rest.
  ///
  /// - Precondition: The payload is well-formed.
  static func isOfAttempt(encoded payload: [UInt8]) -> Bool {
    Flags(rawValue: payload[0]).contains(.attempt)
  }

  /// Whether a well-formed payload is seen to be intact without decoding it: it has neither a key nor effects, and
  /// its content may be any bytes.
  static func isSurelyIntact(encoded payload: [UInt8]) -> Bool {
    Flags(rawValue: payload[0]).isSubset(of: .attachment)
      && outcome(ofEncoded: payload) != .rejected
  }

  /// Checks whether the content is stored beside the event, without decoding the rest.
  static func isDetached(encoded payload: [UInt8]) -> Bool {
    Flags(rawValue: payload[0]).contains(.attachment)
  }

  /// Checks that idempotency key and attempt end inside the payload, and at its end if the content is stored
  /// beside the event.
  private static func hasRoomForTexts(_ payload: [UInt8]) -> Bool {
    let flags = Flags(rawValue: payload[0])
    var end = 16
    if flags.contains(.idempotencyKey) {
      guard payload.count >= 18 else { return false }
      end = 18 + Int(payload.span.loadLittleEndian(UInt16.self, at: 16))
    }
    if flags.contains(.attempt) {
      guard payload.count >= end + 4, payload.span.loadLittleEndian(UInt32.self, at: end) > 0
      else { return false }
      end += 4
    }
    return flags.contains(.attachment) ? end == payload.count : end <= payload.count
  }

  package var attachable: [UInt8]? { content }
  package mutating func detachContent() { content = nil }
}
