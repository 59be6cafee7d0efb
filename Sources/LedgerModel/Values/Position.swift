/// The number of an event in the global order of its ledger, starting at 1.
///
/// Positions are contiguous and never reused, not even after compaction.
public struct Position: Sendable, Hashable, Comparable, Codable, RawRepresentable {
  /// The number; 0 denotes the place before the first event.
  public let rawValue: UInt64

  /// Creates a position from its number.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The place before the first event: reading after it reads everything.
  public static let start = Position(rawValue: 0)

  /// A place after every event.
  package static let end = Position(rawValue: .max)

  /// Tells whether the left event comes first.
  public static func < (left: Position, right: Position) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The position `count` events later.
  package func advanced(by count: Int) -> Position {
    Position(rawValue: rawValue &+ UInt64(count))
  }

  /// The number of events after this position, up to and including a later one.
  package func distance(to later: Position) -> Int {
    Int(clamping: later.rawValue - rawValue)
  }
}

extension Position: CustomStringConvertible {
  /// The number in decimal.
  public var description: String { String(rawValue) }
}
