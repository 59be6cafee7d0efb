/// A walk over the frames of a log, which requires each frame to follow the previous one without a gap.
public struct FrameWalk: Sendable {
  /// The position of the last event passed on, or the position after which the walk began.
  public private(set) var position: Position
  private var previous: FrameHeader?

  /// Begins a walk after a position.
  public init(after position: Position) {
    self.position = position
  }

  /// Takes the next frame.
  ///
  /// - Returns: Whether the frame contains events after the walk's starting position.
  /// - Throws: `corrupt` if the frame does not follow the previous one. The first frame may begin earlier.
  public mutating func isNew(_ header: FrameHeader) throws(LedgerError) -> Bool {
    if let previous {
      guard header.firstPosition == previous.lastPosition.advanced(by: 1),
        header.number == previous.number &+ 1
      else { throw Self.gap(after: previous.lastPosition, header) }
    } else {
      guard header.firstPosition <= position.advanced(by: 1) else {
        throw Self.gap(after: position, header)
      }
    }
    previous = header
    guard header.lastPosition > position else { return false }
    position = header.lastPosition
    return true
  }

  private static func gap(after position: Position, _ header: FrameHeader) -> LedgerError {
    LedgerError(
      .corrupt,
      "Events after position \(position) are missing or out of order: the next frame, number \(header.number), begins at \(header.firstPosition). Restore the ledger from a copy."
    )
  }
}
