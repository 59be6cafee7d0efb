extension PromiseConsumed {
  /// The time at which a consumption is recorded, relative to the delivery.
  @nonexhaustive public enum Delivery: UInt8, Sendable, Hashable {
    /// The consumption was recorded before the app received the outcome: delivered at most once.
    case recordedBefore = 0
    /// The consumption was recorded after the app's code had processed the outcome: delivered at least once.
    case recordedAfter = 1
  }
}

/// The payload of the event that records the delivery of an outcome to the app.
public struct PromiseConsumed: EventPayload, Hashable {
  public static let kind = EventKind.promiseConsumed

  /// The time at which the consumption was recorded, relative to the delivery.
  public let delivery: Delivery

  package init(delivery: Delivery) {
    self.delivery = delivery
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    delivery = try Self.parse(payload) { reader throws(PayloadDamage) in
      try reader.choice("delivery")
    }
  }

  public var encoded: [UInt8] { [delivery.rawValue] }
}

/// The payload of the event that records the permanent abandonment of a promise.
public struct PromiseAbandoned: EventPayload, Hashable {
  public static let kind = EventKind.promiseAbandoned

  /// The reason for the abandonment.
  public let reason: String

  package init(reason: String) {
    self.reason = reason
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    reason = try Self.parse(payload) { reader throws(PayloadDamage) in try reader.text() }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendText(reason)
    return bytes
  }
}
