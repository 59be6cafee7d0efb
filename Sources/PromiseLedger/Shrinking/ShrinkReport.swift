/// The effects of a shrink.
public struct ShrinkReport: Sendable, Hashable {
  /// The size of the data file before, in bytes.
  public let sizeInBytesBefore: Int
  /// The size of the new data file, in bytes.
  public let sizeInBytes: Int
  /// The position of the last event when the ledger moved to the new file.
  public let position: Position
  /// The time for which other writers had to wait.
  public let longestLock: Duration
}

/// The effects that a shrink would have.
public struct ShrinkPlan: Sendable, Hashable {
  /// The size of the data file, in bytes.
  public let sizeInBytes: Int
  /// The size of all pages with data, in bytes: about the size of the file after a shrink, and the room on the disk
  /// that a shrink needs.
  public let usedByteCount: Int
}

/// The progress of a shrink.
public struct ShrinkProgress: Sendable, Hashable {
  /// A part of a shrink.
  @nonexhaustive public enum Phase: Sendable, Hashable {
    /// The pages of the old file are checked.
    case checking
    /// The data is copied.
    case copying
    /// The copy is verified.
    case verifying
    /// Events that were written meanwhile are copied, and the ledger moves to the new file.
    case moving
  }

  /// The current part.
  public let phase: Phase
  /// The number of bytes in keys and values that are copied.
  public let copiedByteCount: Int
}
