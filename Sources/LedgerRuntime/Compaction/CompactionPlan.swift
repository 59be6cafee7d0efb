/// The effects that a compaction of a ledger would have now.
public struct CompactionPlan: Sendable, Hashable {
  /// The policy of the compaction.
  public let policy: CompactionPolicy
  /// The time at which the plan was made, from which ages are measured.
  public let time: Timestamp
  /// The position of the last event.
  public let head: Position
  /// The position of the snapshot.
  public let snapshotPosition: Position
  /// The number of events that will be folded into the snapshot.
  public let eventsToFold: Int
  /// The number of records that will be removed. Records of entities that close in unfolded events are not
  /// counted.
  public let recordsToRemove: Int
  /// The number of records that are old enough to be removed but stay, because an open entity refers to them.
  public let recordsNeeded: Int
  /// The number of records that a later version of the library wrote.
  ///
  /// While such records exist, none is removed, because their references are unknown. Update the
  /// library.
  public let unsupportedRecords: Int
  /// The number of events that will be deleted.
  public let eventsToDelete: Int
  /// The size of these events in bytes, excluding values that are stored beside them.
  public let bytesToDelete: Int
  /// The position up to which events will be deleted.
  public let deletedThrough: Position
  /// The path of the file in which these events will be archived; `nil` for no archive.
  public let archivePath: String?

  /// Whether the compaction would change nothing.
  public var isEmpty: Bool { eventsToFold == 0 && recordsToRemove == 0 && eventsToDelete == 0 }
}

/// The results of a compaction.
public struct CompactionReport: Sendable, Hashable {
  /// The position of the snapshot after the compaction.
  public internal(set) var snapshotPosition = Position.start
  /// The number of events that were folded.
  public internal(set) var foldedEvents = 0
  /// The number of records that were removed.
  public internal(set) var removedRecords = 0
  /// The number of records that a later version of the library wrote.
  ///
  /// While such records exist, none is removed, because their references are unknown. Update the
  /// library.
  public internal(set) var unsupportedRecords = 0
  /// The number of events that were deleted.
  public internal(set) var deletedEvents = 0
  /// The size of these events in bytes, excluding values that were stored beside them.
  public internal(set) var deletedBytes = 0
  /// The position up to which events are deleted.
  public internal(set) var deletedThrough = Position.start
  /// The path of the file in which these events were archived; `nil` for no archive.
  public internal(set) var archivePath: String?
  /// The fingerprint of the state at the snapshot position.
  public internal(set) var stateDigest = StateDigest.empty
  /// The fingerprint of the events up to the snapshot position.
  public internal(set) var logDigest = LogDigest.start
  /// The reason why compaction stopped before an event: this build does not know the event, or the
  /// event is invalid.
  ///
  /// Neither it nor any later event was folded, and no event was deleted. Update the library, or
  /// verify the ledger and restore it from a copy.
  public internal(set) var problem: String?
  /// The class of ``problem``: `unsupportedEvent` if this build does not know the event, otherwise `corrupt`.
  public internal(set) var problemCode: LedgerError.Code?
  /// The number of released readers whose processes are gone. They had prevented the reuse of freed space.
  public internal(set) var releasedReaders = 0
  /// The longest time that writers were kept waiting.
  public internal(set) var longestLock = Duration.zero
}

/// The progress of a compaction.
public struct CompactionProgress: Sendable, Hashable {
  /// A stage of a compaction.
  @nonexhaustive public enum Phase: Sendable, Hashable, CaseIterable {
    /// Events are folded into the snapshot.
    case folding
    /// Records of closed entities are removed.
    case removing
    /// Folded events are archived.
    case archiving
    /// Folded events are deleted.
    case deleting
  }

  /// The current stage.
  public let phase: Phase
  /// The number of events or records that are done.
  public let done: Int
  /// The total number of events or records, as far as it is known.
  public let total: Int
}
