import LedgerBytes

extension PromiseCreated {
  /// The promises whose outcomes settle another one, and the rule by which they do.
  ///
  /// The outcome of a fulfilled joint holds no values: they are read from the inputs.
  public struct Joint: Sendable, Hashable {
    /// The rule by which the outcomes of the inputs settle the promise.
    @nonexhaustive public enum Rule: UInt8, Sendable, Hashable, CaseIterable {
      /// Fulfilled when all inputs are; settled like the first one that is not.
      case all = 0
      /// Fulfilled when all inputs are settled, in any way.
      case allSettled = 1
      /// Fulfilled when one input is; rejected when all inputs are settled otherwise.
      case any = 2
      /// Settled like the first input that is settled.
      case race = 3
    }

    /// The maximum number of inputs: all of them fit into one event, beside the longest names.
    package static let maximumInputCount = 64

    /// The maximum number of levels of joints below one joint.
    package static let maximumDepth: UInt8 = 8

    /// The rule.
    public let rule: Rule
    /// The number of levels of joints below this one that only divide its inputs into groups; 0 if the inputs
    /// are those that the caller gave.
    public let depth: UInt8
    /// The promises, in the order in which the caller gave them.
    public let inputs: [PromiseID]

    package init(_ rule: Rule, of inputs: [PromiseID], depth: UInt8 = 0) {
      self.rule = rule
      self.inputs = inputs
      self.depth = depth
    }
  }

  /// The joint, if other promises settle this one.
  public var joint: Joint? {
    if case .joint(let joint) = source { joint } else { nil }
  }

  /// Whether code or other promises settle the promise.
  package var isComputed: Bool { source.number != .outside }
}

// MARK: - Encoding

extension PromiseCreated.Joint {
  func append(to bytes: inout [UInt8]) {
    bytes += [rule.rawValue, depth]
    bytes.appendLittleEndian(UInt16(clamping: inputs.count))
    bytes += [0, 0, 0, 0]
    for input in inputs { input.entityID.append(to: &bytes) }
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    rule = try reader.choice("rule")
    depth = try reader.integer()
    let count: UInt16 = try reader.integer()
    try reader.skip(4)
    let isPossible = count > 0 || rule == .all || rule == .allSettled
    guard isPossible, depth <= Self.maximumDepth, Int(count) <= Self.maximumInputCount else {
      throw PayloadDamage(what: "the number of inputs or levels of a joint is impossible")
    }
    var inputs: [PromiseID] = []
    inputs.reserveCapacity(Int(count))
    for _ in 0..<count { inputs.append(try reader.identifier()) }
    self.inputs = inputs
  }
}
