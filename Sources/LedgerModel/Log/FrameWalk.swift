/// A walk over the frames of a log, which demands that each follows the one before without a gap.
package struct FrameWalk {
  /// The last event that was handed over, or the position that the walk began after.
  package private(set) var position: Position
  private var previous: FrameHeader?

  package init(after position: Position) {
    self.position = position
  }

  /// Takes the next frame.
  ///
  /// - Returns: Whether it holds events after the position that the walk began after.
  /// - Throws: `corrupt` if it does not follow the frame before. The first one may begin earlier.
  package mutating func isNew(_ header: FrameHeader) throws(LedgerError) -> Bool {
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
      "Events after position \(position) are missing or in disorder: the next frame, number \(header.number), begins at \(header.firstPosition). Restore the ledger from a copy."
    )
  }
}
