import LedgerBytes

/// The payload of the event that records the start of an attempt: a session runs the code of a work promise.
public struct WorkStarted: EventPayload, Hashable {
  public static let kind = EventKind.workStarted

  /// The number of the attempt, from 1.
  public let attempt: UInt32

  package init(attempt: UInt32) {
    self.attempt = attempt
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    attempt = try Self.parse(payload) { reader throws(PayloadDamage) in
      let attempt = try reader.attempt()
      try reader.skip(4)
      return attempt
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(attempt)
    bytes.appendLittleEndian(UInt32(0))
    return bytes
  }
}
