import LedgerBytes

/// The payload of the event that records the request to cancel work whose code has started.
///
/// The code decides how it ends; its promise is cancelled then.
public struct WorkCancelRequested: EventPayload, Hashable {
  public static let kind = EventKind.workCancelRequested

  /// The reason that the caller gave.
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
