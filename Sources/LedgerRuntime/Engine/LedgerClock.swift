import LedgerSystem

/// Tells the wall-clock time, so that tests can tell another.
public protocol LedgerClock: Sendable {
  /// The time now.
  func now() -> Timestamp
}

/// A clock that is moved by hand, and tells when.
package protocol MovedLedgerClock: LedgerClock {
  /// Has `ring` called each time the clock was moved, until it returns `false`.
  func whenMoved(_ ring: @escaping @Sendable () -> Bool)
}

/// The clock of the system (`CLOCK_REALTIME`).
public struct SystemLedgerClock: LedgerClock {
  /// Makes the clock.
  public init() {}

  /// The time now.
  public func now() -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: WallClock.nowNanoseconds)
  }
}

/// Makes ids that were never made before.
public protocol LedgerIDGenerator: Sendable {
  /// A new id: a UUID of version 7 whose first 48 bits are `time` in milliseconds.
  func makeID(at time: Timestamp) -> EntityID
}

/// Makes ids with 74 random bits (RFC 9562, 5.7).
public struct RandomIDGenerator: LedgerIDGenerator {
  /// Makes the generator.
  public init() {}

  /// A new id.
  public func makeID(at time: Timestamp) -> EntityID {
    EntityID(
      milliseconds: UInt64(max(0, time.nanosecondsSinceEpoch)) / 1_000_000,
      random: (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)))
  }
}
