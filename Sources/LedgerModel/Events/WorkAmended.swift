import LedgerBytes

/// The payload of the event that records a change of work by an operator. A property that is `nil` stays
/// unchanged.
public struct WorkAmended: EventPayload, Hashable {
  public static let kind = EventKind.workAmended

  /// The effect of the change on parked work.
  @nonexhaustive public enum Parking: UInt8, Sendable, Hashable, CaseIterable {
    /// The work remains parked, or remains not parked.
    case unchanged = 0
    /// The work is parked until an operator acts.
    case parked = 1
    /// The work is no longer parked; failures and deaths are counted from 0.
    case resumed = 2
  }

  /// The new arguments.
  public struct Arguments: Sendable, Hashable {
    /// The promises and handlers in the arguments.
    public let references: HandlerReferences
    /// The arguments, or `nil` if they are large and stored beside the event.
    public fileprivate(set) var arguments: StoredArguments?
  }

  /// The effect of the change on parked work.
  public let parking: Parking
  /// The new condition under which the work becomes due.
  public let trigger: WorkTrigger?
  /// The new options.
  public let options: WorkOptions?
  /// The new arguments.
  public private(set) var arguments: Arguments?

  package init(
    parking: Parking = .unchanged, trigger: WorkTrigger? = nil, options: WorkOptions? = nil,
    arguments: ArgumentSet? = nil
  ) {
    self.parking = parking
    self.trigger = trigger
    self.options = options
    self.arguments = arguments.map {
      Arguments(references: $0.references, arguments: $0.arguments)
    }
  }
}

extension WorkAmended: AttachablePayload {
  package var attachable: [UInt8]? { arguments?.arguments?.encoded }

  package var isDetached: Bool { arguments.map { $0.arguments == nil } ?? false }

  package mutating func detachContent() { arguments?.arguments = nil }

  package func check(_ content: [UInt8]) throws(LedgerError) {
    _ = try StoredArguments(decoding: content)
  }

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let attachment = Flags(rawValue: 1)
    static let trigger = Flags(rawValue: 2)
    static let options = Flags(rawValue: 4)
    static let arguments = Flags(rawValue: 8)
    static let all = Flags(rawValue: 15)
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags = Flags(rawValue: try reader.integer())
      guard flags.isSubset(of: .all),
        flags.contains(.arguments) || !flags.contains(.attachment)
      else {
        throw PayloadDamage(what: "the flags \(flags.rawValue) are unknown")
      }
      let parking: Parking = try reader.choice("parking")
      try reader.skip(6)
      var amended = Self(
        parking: parking,
        trigger: flags.contains(.trigger) ? try WorkTrigger(reading: &reader) : nil,
        options: flags.contains(.options) ? try WorkOptions(reading: &reader) : nil)
      if flags.contains(.arguments) {
        let (references, arguments) = try reader.arguments(flags: flags.rawValue)
        amended.arguments = Arguments(references: references, arguments: arguments)
      }
      return amended
    }
  }

  public var encoded: [UInt8] {
    var flags: Flags = []
    if trigger != nil { flags.insert(.trigger) }
    if options != nil { flags.insert(.options) }
    if let arguments {
      flags.insert(.arguments)
      if arguments.arguments == nil { flags.insert(.attachment) }
    }
    var bytes: [UInt8] = [flags.rawValue, parking.rawValue, 0, 0, 0, 0, 0, 0]
    trigger?.append(to: &bytes)
    options?.append(to: &bytes)
    if let arguments {
      arguments.references.append(to: &bytes)
      if let stored = arguments.arguments { bytes += stored.encoded }
    }
    return bytes
  }
}
