import LedgerBytes

extension WorkReleased {
  /// The reason why an attempt ended without an outcome.
  @nonexhaustive public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
    /// The session of the attempt froze.
    case frozen = 0
    /// The session of the attempt was closed.
    case closed = 1
    /// Another session found that the process of the attempt was gone.
    case died = 2
    /// The runner stopped.
    case cancelled = 3
    /// The session found that it cannot run the code.
    case notRunnable = 4
    /// The code failed, and is tried again at a later time.
    case retrying = 5
    /// The code failed for the last time, and an operator decides.
    case parked = 6
  }
}

/// The payload of the event that records the end of an attempt that did not settle its promise.
public struct WorkReleased: EventPayload, Hashable {
  public static let kind = EventKind.workReleased

  /// The number of the attempt, from 1.
  public let attempt: UInt32
  /// The reason for the release.
  public let reason: Reason
  /// The number of failures during the attempt. More than one if the code was tried again at once.
  public let failureCount: UInt32
  /// The time of the next attempt; only with ``Reason/retrying``.
  public let retryTime: Timestamp?
  /// The last error, if there was one.
  public let error: StoredError?

  package init(
    attempt: UInt32, reason: Reason, failureCount: UInt32 = 0, retryTime: Timestamp? = nil,
    error: StoredError? = nil
  ) {
    self.attempt = attempt
    self.reason = reason
    self.failureCount = failureCount
    self.retryTime = retryTime
    self.error = error
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let reason: Reason = try reader.choice("reason")
      let hasError: UInt8 = try reader.integer()
      guard hasError <= 1 else {
        throw PayloadDamage(what: "the flags \(hasError) are unknown")
      }
      try reader.skip(2)
      let attempt = try reader.attempt()
      let failureCount: UInt32 = try reader.integer()
      try reader.skip(4)
      let retryTime = reason == .retrying ? try reader.timestamp() : nil
      var error: StoredError?
      if hasError == 1 {
        do throws(LedgerError) {
          error = try StoredError(decoding: reader.rest())
        } catch {
          throw PayloadDamage(what: error.message)
        }
      }
      return Self(
        attempt: attempt, reason: reason, failureCount: failureCount, retryTime: retryTime,
        error: error)
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = [reason.rawValue, error == nil ? 0 : 1, 0, 0]
    bytes.appendLittleEndian(attempt)
    bytes.appendLittleEndian(failureCount)
    bytes.appendLittleEndian(UInt32(0))
    if reason == .retrying {
      bytes.appendLittleEndian(retryTime?.nanosecondsSinceEpoch ?? 0)
    }
    if let error { bytes += error.encoded }
    return bytes
  }
}
