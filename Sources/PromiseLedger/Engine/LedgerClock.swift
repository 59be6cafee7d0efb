import LedgerSystem

/// Tells the wall-clock time, so that tests can tell another.
public protocol LedgerClock: Sendable {
  /// The time now.
  func now() -> Timestamp
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

extension EntityID {
  /// A version 7 UUID: 48 bits of time, then random bits.
  /// The time that a UUID of version 7 was made at, to the millisecond; `nil` for other ids.
  package var time: Timestamp? {
    guard high >> 12 & 0xF == 7, let milliseconds = Int64(exactly: high >> 16) else { return nil }
    let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? nil : Timestamp(nanosecondsSinceEpoch: nanoseconds)
  }

  package init(milliseconds: UInt64, random: (UInt64, UInt64)) {
    self.init(
      high: milliseconds << 16 | random.0 & 0xFFF, low: random.1, version: 7)
  }
}
