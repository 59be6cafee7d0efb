/// When a consumption was recorded.
public enum Delivery: UInt8, Sendable, Hashable {
  /// Before the app got the outcome: delivered at most once.
  case recordedBefore = 0
  /// After the app's code had run with it: delivered at least once.
  case recordedAfter = 1
}

/// The payload of the event that an outcome was delivered to the app.
public struct PromiseConsumed: EventPayload, Hashable {
  public static let kind = EventKind.promiseConsumed

  /// When the consumption was recorded.
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

/// The payload of the event that a promise was given up for ever.
public struct PromiseAbandoned: EventPayload, Hashable {
  public static let kind = EventKind.promiseAbandoned

  /// Why.
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
