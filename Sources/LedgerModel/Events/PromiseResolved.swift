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
  /// The encoded value, error or reason, or `nil` if it is large and stored beside the event.
  public private(set) var content: [UInt8]?
}

extension PromiseResolved: AttachablePayload {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let idempotencyKey = Flags(rawValue: 1)
    static let attachment = Flags(rawValue: 2)
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags = Flags(rawValue: try reader.integer())
      let outcome: PromiseOutcomeKind = try reader.choice("outcome")
      try reader.skip(6)
      return Self(
        outcome: outcome,
        resolvedAt: Timestamp(nanosecondsSinceEpoch: try reader.integer()),
        idempotencyKey: flags.contains(.idempotencyKey) ? try reader.text() : nil,
        content: flags.contains(.attachment) ? nil : reader.rest())
    }
  }

  public var encoded: [UInt8] {
    var flags: Flags = []
    if idempotencyKey != nil { flags.insert(.idempotencyKey) }
    if content == nil { flags.insert(.attachment) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16 + (content?.count ?? 0) + (idempotencyKey?.utf8.count ?? 0) + 2)
    bytes.append(contentsOf: [flags.rawValue, outcome.rawValue, 0, 0, 0, 0, 0, 0])
    bytes.appendLittleEndian(resolvedAt.nanosecondsSinceEpoch)
    if let idempotencyKey { bytes.appendText(idempotencyKey) }
    if let content { bytes.append(contentsOf: content) }
    return bytes
  }

  /// Checks the numbers and lengths of an encoded payload without decoding its texts, so that replay stays
  /// fast.
  package static func isWellFormed(_ payload: [UInt8]) -> Bool {
    payload.count >= 16 && PromiseOutcomeKind(rawValue: payload[1]) != nil && hasRoomForKey(payload)
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

  /// Checks that the idempotency key ends inside the payload, and at its end if the content is stored beside
  /// the event.
  private static func hasRoomForKey(_ payload: [UInt8]) -> Bool {
    let flags = Flags(rawValue: payload[0])
    var end = 16
    if flags.contains(.idempotencyKey) {
      guard payload.count >= 18 else { return false }
      end = 18 + Int(payload.span.loadLittleEndian(UInt16.self, at: 16))
    }
    return flags.contains(.attachment) ? end == payload.count : end <= payload.count
  }

  package var attachable: [UInt8]? { content }
  package mutating func detachContent() { content = nil }
}
