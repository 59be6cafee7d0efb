/// The fixed part at the start of a frame; see the article *File format*.
public struct FrameHeader: Sendable, Equatable {
  /// The size of the header in bytes.
  package static var byteCount: Int { 48 }

  /// The maximum size of a frame, in bytes. A store may pack events into smaller frames.
  public static let maximumFrameByteCount = 4_080

  /// The frame layout that this build writes and reads.
  package static let layout: UInt16 = 0

  /// The number of events.
  public internal(set) var eventCount: Int
  /// The position of the first event, which is the key of the frame.
  public internal(set) var firstPosition: Position
  /// The size of the frame, in bytes.
  public internal(set) var byteCount: Int
  /// The relation to the frames before and after it.
  public internal(set) var flags: Flags
  /// The number of the frame, from 1 over the whole life of the ledger, modulo 2 to the power of 32.
  ///
  /// Deleting frames does not renumber the others, so the numbers of the first and the last frame determine
  /// how many there must be.
  public internal(set) var number: UInt32
  /// The commit that wrote the events.
  public internal(set) var commit: CommitID

  /// The relation of a frame to its neighbours.
  public struct Flags: OptionSet, Sendable {
    /// The bits, as they are stored.
    public let rawValue: UInt16
    /// Makes flags of stored bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The commit continues in the next frame.
    public static let commitContinues = Flags(rawValue: 1)
    /// The commit began in an earlier frame.
    public static let continuesCommit = Flags(rawValue: 2)
  }

  /// The position of the frame's last event.
  public var lastPosition: Position { firstPosition.advanced(by: eventCount - 1) }
}

/// Identifies a commit: the writer's session, and the number of the commit within it, from 1.
public struct CommitID: Sendable, Hashable {
  /// The session of the writer.
  public var session: SessionID
  /// The number of the commit in the session, from 1.
  public var number: UInt64

  /// Makes the id of a commit.
  public init(session: SessionID, number: UInt64) {
    self.session = session
    self.number = number
  }
}
