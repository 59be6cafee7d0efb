/// The fixed part at the start of a frame; see the article *File format*.
package struct FrameHeader: Sendable, Equatable {
  /// The size of the header in bytes.
  package static var byteCount: Int { 48 }

  /// The maximum size of a frame, in bytes. A store may pack events into smaller frames.
  package static let maximumFrameByteCount = 4_080

  /// The frame layout that this build writes and reads.
  package static let layout: UInt16 = 0

  package var eventCount: Int
  package var firstPosition: Position
  package var byteCount: Int
  package var flags: Flags
  /// The number of the frame, from 1 over the whole life of the ledger, modulo 2 to the power of 32.
  ///
  /// Deleting frames does not renumber the others, so the numbers of the first and the last frame determine
  /// how many there must be.
  package var number: UInt32
  package var commit: CommitID

  /// The relation of a frame to its neighbours.
  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The commit continues in the next frame.
    package static let commitContinues = Flags(rawValue: 1)
    /// The commit began in an earlier frame.
    package static let continuesCommit = Flags(rawValue: 2)
  }

  /// The position of the frame's last event.
  package var lastPosition: Position { firstPosition.advanced(by: eventCount - 1) }
}

/// Identifies a commit: the writer's session, and the number of the commit within it, from 1.
package struct CommitID: Sendable, Hashable {
  package var session: SessionID
  package var number: UInt64

  package init(session: SessionID, number: UInt64) {
    self.session = session
    self.number = number
  }
}
