import LedgerBytes

extension HandlerCallReleased {
  /// The reason why a run of a handler was released unfinished.
  @nonexhaustive public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
    /// The session of the run froze.
    case frozen = 0
    /// The session of the run was closed.
    case closed = 1
    /// Another session found that the process of the run's session was gone.
    case died = 2
    /// The code was cancelled.
    case cancelled = 3
    /// The session found that it cannot run the code.
    case notRunnable = 4
  }
}

/// The payload of the event that records the release of an unfinished run of a handler.
public struct HandlerCallReleased: EventPayload, Hashable {
  public static let kind = EventKind.handlerCallReleased

  /// The call.
  public let call: CallID
  /// The number of the attempt, from 1.
  public let attempt: UInt32
  /// The reason for the release.
  public let reason: Reason

  package init(call: CallID, attempt: UInt32, reason: Reason) {
    self.call = call
    self.attempt = attempt
    self.reason = reason
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let reason: Reason = try reader.choice("reason")
      try reader.skip(3)
      let attempt = try reader.attempt()
      return Self(call: try reader.identifier(), attempt: attempt, reason: reason)
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = [reason.rawValue, 0, 0, 0]
    bytes.appendLittleEndian(attempt)
    call.entityID.append(to: &bytes)
    return bytes
  }
}
