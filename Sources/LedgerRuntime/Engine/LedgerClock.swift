import LedgerSystem

/// A source of the wall-clock time, which tests can replace.
public protocol LedgerClock: Sendable {
  /// The current time.
  func now() -> Timestamp
}

/// A clock that is moved manually, and notifies listeners.
package protocol MovedLedgerClock: LedgerClock {
  /// Calls `ring` each time the clock was moved, until it returns `false`.
  func whenMoved(_ ring: @escaping @Sendable () -> Bool)
}

/// The system clock (`CLOCK_REALTIME`).
public struct SystemLedgerClock: LedgerClock {
  /// Makes the clock.
  public init() {}

  /// The current time.
  public func now() -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: WallClock.nowNanoseconds)
  }
}

/// A generator of unique ids.
public protocol LedgerIDGenerator: Sendable {
  /// A new id: a UUID of version 7 whose first 48 bits are `time` in milliseconds.
  func makeID(at time: Timestamp) -> EntityID
}

/// A generator of ids with 74 random bits (RFC 9562, 5.7).
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
