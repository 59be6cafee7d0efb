import LedgerBytes

/// Why a run of a handler was given back unfinished.
public enum CallRelease: UInt8, Sendable, Hashable, CaseIterable {
  /// Its session froze.
  case frozen = 0
  /// Its session was closed.
  case closed = 1
  /// The process of its session was gone, as another session found.
  case died = 2
  /// Its code was cancelled.
  case cancelled = 3
  /// Its session found that it cannot run it.
  case notRunnable = 4
}

/// The payload of the event that a run of a handler was given back unfinished.
public struct HandlerCallReleased: EventPayload, Hashable {
  public static let kind = EventKind.handlerCallReleased

  /// Which call it is.
  public let call: CallID
  /// Which run of the call it is, from 1.
  public let attempt: UInt32
  /// Why.
  public let reason: CallRelease

  package init(call: CallID, attempt: UInt32, reason: CallRelease) {
    self.call = call
    self.attempt = attempt
    self.reason = reason
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let reason: CallRelease = try reader.choice("reason")
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
