/// What compaction would do to a ledger as it is now, and what would stay.
public struct CompactionPlan: Sendable, Hashable {
  /// The policy that it follows.
  public let policy: CompactionPolicy
  /// When it was made: what is old enough is counted from then.
  public let time: Timestamp
  /// The position of the last event.
  public let head: Position
  /// The position of the snapshot.
  public let snapshotPosition: Position
  /// How many events will be folded into the snapshot.
  public let eventsToFold: Int
  /// How many records will be removed. Records that end in events that are not folded yet are not
  /// counted.
  public let recordsToRemove: Int
  /// How many records are old enough to be removed and stay, because something open refers to them.
  public let recordsNeeded: Int
  /// How many records a later version of the library wrote. While there are any, no record is removed,
  /// since what they refer to is not known. Update the library.
  public let unsupportedRecords: Int
  /// How many events will be deleted.
  public let eventsToDelete: Int
  /// The size of these events in bytes, without values that are stored beside them.
  public let bytesToDelete: Int
  /// Events up to this position will be gone.
  public let deletedThrough: Position
  /// The file that these events will be archived in; `nil` for no archive.
  public let archivePath: String?

  /// Whether there is nothing to do.
  public var isEmpty: Bool { eventsToFold == 0 && recordsToRemove == 0 && eventsToDelete == 0 }
}

/// What a compaction did.
public struct CompactionReport: Sendable, Hashable {
  /// The position of the snapshot afterwards.
  public internal(set) var snapshotPosition = Position.start
  /// How many events were folded.
  public internal(set) var foldedEvents = 0
  /// How many records were removed.
  public internal(set) var removedRecords = 0
  /// How many records a later version of the library wrote. While there are any, no record is removed,
  /// since what they refer to is not known. Update the library.
  public internal(set) var unsupportedRecords = 0
  /// How many events were deleted.
  public internal(set) var deletedEvents = 0
  /// The size of these events in bytes, without values that were stored beside them.
  public internal(set) var deletedBytes = 0
  /// Events up to this position are gone.
  public internal(set) var deletedThrough = Position.start
  /// The file that these events were archived in; `nil` for no archive.
  public internal(set) var archivePath: String?
  /// The fingerprint of the state at the snapshot position.
  public internal(set) var stateDigest = StateDigest.empty
  /// The fingerprint of the events up to the snapshot position.
  public internal(set) var logDigest = LogDigest.start
  /// Why compaction stopped before an event: this build does not know it, or it does not make sense.
  /// Neither it nor what follows was folded, and no event was deleted. Update the library, or verify the
  /// ledger and restore it from a copy.
  public internal(set) var problem: String?
  /// The class of ``problem``: `unsupportedEvent` if this build does not know the event, else `corrupt`.
  public internal(set) var problemCode: LedgerError.Code?
  /// How many readers were released whose processes are gone: they kept freed space from being used
  /// again.
  public internal(set) var releasedReaders = 0
  /// The longest time that writers were kept waiting.
  public internal(set) var longestLock = Duration.zero
}

/// How far a compaction is.
public struct CompactionProgress: Sendable, Hashable {
  /// What is being done.
  public enum Phase: Sendable, Hashable, CaseIterable {
    /// Events are folded into the snapshot.
    case folding
    /// Records of closed entities are removed.
    case removing
    /// Folded events are archived.
    case archiving
    /// Folded events are deleted.
    case deleting
  }

  /// What is being done.
  public let phase: Phase
  /// How many events or records are done.
  public let done: Int
  /// How many there are to do, as far as it is known.
  public let total: Int
}
