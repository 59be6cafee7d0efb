import LedgerBytes

extension PromiseCreated {
  /// The effect of a deadline on a promise that is still pending.
  @nonexhaustive public enum DeadlineEffect: UInt8, Sendable, Hashable {
    /// The promise times out.
    case timesOut = 0
    /// The promise is fulfilled, which makes it a timer. Its value is `Void`.
    case fulfils = 1
  }
}

/// The payload of the event that records the creation of a promise.
public struct PromiseCreated: EventPayload, Hashable {
  public static let kind = EventKind.promiseCreated

  /// The name of the value's type and encoding; a value is decoded only if its name matches.
  public package(set) var typeTag: String
  /// The caller's name for the promise, from which the promise's id was derived.
  public let key: String?
  /// A human-readable text.
  public let label: String?
  /// Texts by which promises can be found.
  public let tags: [String]
  /// The time at which a pending promise resolves by itself.
  public let deadline: Timestamp?
  /// The effect of the deadline.
  public let deadlineEffect: DeadlineEffect
  /// A key that identifies repetitions of the same creation.
  public let idempotencyKey: String?
  /// The time up to which the promise is open.
  public let lifetime: Lifetime
  /// The work whose code created the promise; `nil` if no work did.
  public let parent: PromiseID?
  /// The origin of the outcome.
  public package(set) var source: Source

  package init(
    typeTag: String, key: String? = nil, label: String? = nil, tags: [String] = [],
    deadline: Timestamp? = nil, deadlineEffect: DeadlineEffect = .timesOut,
    idempotencyKey: String? = nil, lifetime: Lifetime = .untilConsumed, parent: PromiseID? = nil,
    source: Source = .outside
  ) {
    self.typeTag = typeTag
    self.key = key
    self.label = label
    self.tags = tags
    self.deadline = deadline
    self.deadlineEffect = deadlineEffect
    self.idempotencyKey = idempotencyKey
    self.lifetime = lifetime
    self.parent = parent
    self.source = source
  }

  public static let newestVersion: UInt16 = 2

  public var version: UInt16 { hasExtension ? 2 : 1 }

  /// Whether only version 2 can represent the payload.
  private var hasExtension: Bool {
    lifetime != .untilConsumed || parent != nil || source.number != .outside
  }

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let deadline = Flags(rawValue: 1)
    static let key = Flags(rawValue: 2)
    static let label = Flags(rawValue: 4)
    static let idempotencyKey = Flags(rawValue: 8)
    /// Set by version 2: lifetime and source stand in the reserved bytes.
    static let extended = Flags(rawValue: 16)
    static let parent = Flags(rawValue: 32)
    static let attachment = Flags(rawValue: 64)
    /// Those of version 1.
    static let original = Flags(rawValue: 15)
    static let all = Flags(rawValue: 127)
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags = Flags(rawValue: try reader.integer())
      let effect: DeadlineEffect = try reader.choice("deadline effect")
      let tagCount: UInt16 = try reader.integer()
      let (lifetime, source) = try Self.lifetimeAndSource(flags, &reader)
      let deadline: Int64? = flags.contains(.deadline) ? try reader.integer() : nil
      let typeTag = try reader.text()
      let key = flags.contains(.key) ? try reader.text() : nil
      let label = flags.contains(.label) ? try reader.text() : nil
      let idempotencyKey = flags.contains(.idempotencyKey) ? try reader.text() : nil
      var tags: [String] = []
      for _ in 0..<tagCount { tags.append(try reader.text()) }
      let parent: PromiseID? = flags.contains(.parent) ? try reader.identifier() : nil
      let isDetached = flags.contains(.attachment)
      guard !isDetached || source == .work,
        !flags.contains(.extended) || lifetime != .untilConsumed || parent != nil
          || source != .outside
      else { throw PayloadDamage(what: "the flags \(flags.rawValue) contradict the rest") }
      let read: Source =
        switch source {
        case .outside: .outside
        case .work: .work(try Work(reading: &reader, isDetached: isDetached))
        case .joint: .joint(try Joint(reading: &reader))
        }
      return Self(
        typeTag: typeTag, key: key, label: label, tags: tags,
        deadline: deadline.map(Timestamp.init(nanosecondsSinceEpoch:)),
        deadlineEffect: effect, idempotencyKey: idempotencyKey, lifetime: lifetime, parent: parent,
        source: read)
    }
  }

  /// Reads the bytes that the first version reserves.
  private static func lifetimeAndSource(
    _ flags: Flags, _ reader: inout PayloadReader
  ) throws(PayloadDamage) -> (Lifetime, Source.Number) {
    guard flags.contains(.extended) else {
      guard flags.isSubset(of: .original) else {
        throw PayloadDamage(what: "the flags \(flags.rawValue) are unknown")
      }
      try reader.skip(4)
      return (.untilConsumed, .outside)
    }
    guard flags.isSubset(of: .all) else {
      throw PayloadDamage(what: "the flags \(flags.rawValue) are unknown")
    }
    let lifetime: Lifetime = try reader.choice("lifetime")
    let source: Source.Number = try reader.choice("source")
    try reader.skip(2)
    return (lifetime, source)
  }

  public var encoded: [UInt8] {
    var flags: Flags = []
    if deadline != nil { flags.insert(.deadline) }
    if key != nil { flags.insert(.key) }
    if label != nil { flags.insert(.label) }
    if idempotencyKey != nil { flags.insert(.idempotencyKey) }
    if hasExtension { flags.insert(.extended) }
    if parent != nil { flags.insert(.parent) }
    if let work, work.arguments == nil { flags.insert(.attachment) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    // The fields of the head at once, the first one in the lowest bits.
    var head = UInt64(flags.rawValue) | UInt64(deadlineEffect.rawValue) << 8
    head |= UInt64(UInt16(tags.count)) << 16
    head |= UInt64(lifetime.rawValue) << 32 | UInt64(source.number.rawValue) << 40
    bytes.appendLittleEndian(head)
    if let deadline { bytes.appendLittleEndian(deadline.nanosecondsSinceEpoch) }
    bytes.appendText(typeTag)
    if let key { bytes.appendText(key) }
    if let label { bytes.appendText(label) }
    if let idempotencyKey { bytes.appendText(idempotencyKey) }
    for tag in tags { bytes.appendText(tag) }
    parent?.entityID.append(to: &bytes)
    work?.append(to: &bytes)
    joint?.append(to: &bytes)
    return bytes
  }

  /// Reads the deadline of an encoded payload without decoding the rest.
  ///
  /// - Returns: `nil` if there is no deadline, or the payload is too short to contain one.
  static func deadline(ofEncoded payload: [UInt8]) -> Timestamp? {
    guard payload.count >= 16, Flags(rawValue: payload[0]).contains(.deadline) else { return nil }
    return Timestamp(nanosecondsSinceEpoch: payload.span.loadLittleEndian(at: 8))
  }

  /// Reads the type tag of an encoded payload without decoding what stands behind it.
  static func typeTag(ofEncoded payload: [UInt8]) throws(LedgerError) -> String {
    try parsePrefix(of: payload) { reader throws(PayloadDamage) in
      let flags = Flags(rawValue: try reader.integer())
      try reader.skip(flags.contains(.deadline) ? 15 : 7)
      return try reader.text()
    }
  }

  /// Reads the effect of the deadline without decoding the rest.
  ///
  /// - Precondition: The payload is well-formed.
  static func deadlineEffect(ofEncoded payload: [UInt8]) -> DeadlineEffect {
    DeadlineEffect(rawValue: payload[1]) ?? .timesOut
  }

  /// Checks for a key without decoding the rest.
  ///
  /// - Precondition: The payload is well-formed.
  static func hasKey(encoded payload: [UInt8]) -> Bool {
    Flags(rawValue: payload[0]).contains(.key)
  }

  /// Whether an encoded payload needs version 2.
  @inline(__always)
  static func isExtended(encoded payload: [UInt8]) -> Bool {
    Flags(rawValue: payload[0]).contains(.extended)
  }

  /// Checks whether the arguments are stored beside the event, without decoding the rest.
  static func isDetached(encoded payload: [UInt8]) -> Bool {
    Flags(rawValue: payload[0]).isSuperset(of: [.extended, .attachment])
  }

  /// Checks for a parent without decoding the rest.
  static func hasParent(encoded payload: [UInt8]) -> Bool {
    Flags(rawValue: payload[0]).isSuperset(of: [.extended, .parent])
  }

  /// Reads the lifetime without decoding the rest.
  ///
  /// - Precondition: The payload is well-formed.
  @inline(__always)
  static func lifetime(ofEncoded payload: [UInt8]) -> Lifetime {
    isExtended(encoded: payload) && payload[4] != 0 ? .untilSettled : .untilConsumed
  }

  /// Checks whether the promise is settled by code, without decoding the rest.
  ///
  /// - Precondition: The payload is well-formed.
  @inline(__always)
  static func isWork(encoded payload: [UInt8]) -> Bool {
    isExtended(encoded: payload) && payload[5] == Source.Number.work.rawValue
  }

  /// Checks whether code or other promises settle the promise, without decoding the rest.
  ///
  /// - Precondition: The payload is well-formed.
  @inline(__always)
  static func isComputed(encoded payload: [UInt8]) -> Bool {
    isExtended(encoded: payload) && payload[5] != Source.Number.outside.rawValue
  }

  /// Checks whether other promises settle the promise, without decoding the rest.
  ///
  /// - Precondition: The payload is well-formed.
  static func isJoint(encoded payload: [UInt8]) -> Bool {
    isExtended(encoded: payload) && payload[5] == Source.Number.joint.rawValue
  }

  /// Whether a well-formed payload is seen to be intact without decoding it.
  ///
  /// Checking the form of version 2 decodes it. In version 1, only a text can be invalid, and ASCII is not.
  static func isSurelyIntact(encoded payload: [UInt8]) -> Bool {
    guard !isExtended(encoded: payload) else { return true }
    let start = Flags(rawValue: payload[0]).contains(.deadline) ? 16 : 8
    return payload[start...].allSatisfy { $0 < 0x80 }
  }

  /// Checks the numbers and lengths of an encoded payload; of the first version, without decoding its texts, so
  /// that replay stays fast.
  static func isWellFormed(_ payload: [UInt8]) -> Bool {
    guard payload.count >= 8, DeadlineEffect(rawValue: payload[1]) != nil else { return false }
    guard !isExtended(encoded: payload) else { return (try? Self(decoding: payload)) != nil }
    let flags = Flags(rawValue: payload[0])
    guard flags.isSubset(of: .original) else { return false }
    let tagCount = Int(payload.span.loadLittleEndian(UInt16.self, at: 2))
    let optionalTexts: Flags = [.key, .label, .idempotencyKey]
    let optionalTextCount = flags.intersection(optionalTexts).rawValue.nonzeroBitCount
    var offset = flags.contains(.deadline) ? 16 : 8
    for _ in 0..<(1 + optionalTextCount + tagCount) {
      guard offset + 2 <= payload.count else { return false }
      offset += 2 + Int(payload.span.loadLittleEndian(UInt16.self, at: offset))
    }
    return offset == payload.count
  }
}
