/// A lane: work with the same lane runs in the order of its creation, and only so much of it at once, over
/// all processes.
public struct WorkLane: Sendable, Hashable {
  /// The maximum length of a name, in bytes of UTF-8.
  public static let maximumNameByteCount = 128

  /// The maximum width.
  static let maximumWidth = Int(UInt16.max)

  /// The name of the lane.
  public let name: String
  /// The maximum number of works of the lane that run at once, over all processes; at least 1.
  public let width: Int

  /// Validates the name and the width.
  ///
  /// - Parameters:
  ///   - name: 1 to 128 bytes of UTF-8 without control characters (Unicode category Cc).
  ///   - width: 1 to 65,535.
  /// - Throws: ``LedgerError/Code/invalidArgument`` if the name or the width is out of bounds.
  public init(_ name: String, width: Int = 1) throws(LedgerError) {
    try TextLimit.lane.check(name)
    guard (1...Self.maximumWidth).contains(width) else {
      throw LedgerError(
        .invalidArgument,
        "The width of lane \"\(name)\" is \(width); it must be 1 to \(Self.maximumWidth). Leave the lane out for work without a limit."
      )
    }
    (self.name, self.width) = (name, width)
  }

  /// Creates a lane that was validated before.
  init(storedName name: String, width: Int) {
    (self.name, self.width) = (name, width)
  }
}
