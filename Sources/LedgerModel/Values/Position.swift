/// The number of an event in the one global order of its ledger, from 1.
///
/// Positions are contiguous and are never reused, also after compaction.
public struct Position: Sendable, Hashable, Comparable, Codable, RawRepresentable {
  /// The number; 0 stands for the place before the first event.
  public let rawValue: UInt64

  /// Makes a position of its number.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The place before the first event: reading after it reads everything.
  public static let start = Position(rawValue: 0)

  /// A place behind every event.
  package static let end = Position(rawValue: .max)

  /// Tells whether the left event comes first.
  public static func < (left: Position, right: Position) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The position `count` events later.
  package func advanced(by count: Int) -> Position {
    Position(rawValue: rawValue &+ UInt64(count))
  }

  /// How many events stand after this position up to a later one.
  package func distance(to later: Position) -> Int {
    Int(clamping: later.rawValue - rawValue)
  }
}

extension Position: CustomStringConvertible {
  /// The number in decimal.
  public var description: String { String(rawValue) }
}
