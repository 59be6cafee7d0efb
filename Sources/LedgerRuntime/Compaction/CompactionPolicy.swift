/// What compaction keeps, and for how long.
///
/// Whatever the policy says, everything stays that is open, and everything that something open refers
/// to; of removed keys a tombstone stays for ever.
public struct CompactionPolicy: Sendable, Hashable {
  /// How long events are kept at least; `nil` for ever.
  public var eventRetention: Duration? = .seconds(7 * 86_400)

  /// How many of the newest events are kept at least.
  public var minimumEventCount: Int = 1_000

  /// How long the records of consumed and abandoned promises, of handlers that ended, and of ended
  /// sessions are kept at least, from their ends on; `nil` for ever.
  ///
  /// While a record is there, late resolves and repeated requests are answered from it.
  public var recordRetention: Duration? = .seconds(30 * 86_400)

  /// The directory where events are archived before they are deleted; `nil` for no archive.
  ///
  /// Each compaction that deletes events writes one file there first, named by the ledger and the
  /// positions of the first and the last event. ``LedgerImport`` makes a ledger of them again.
  ///
  /// A file is never replaced: if one of that name holds other events, as it may after the ledger was
  /// restored from a backup, compaction fails with `alreadyExists` and deletes nothing.
  public var archiveDirectory: String?

  /// Makes a policy with the defaults: events for 7 days and at least 1,000 of them, records for 30
  /// days.
  public init() {}

  /// Folds, and neither deletes events nor removes records.
  public static let foldOnly: CompactionPolicy = {
    var policy = CompactionPolicy()
    policy.eventRetention = nil
    policy.recordRetention = nil
    return policy
  }()
}

extension CompactionPolicy {
  /// How old the events are that may be deleted; `nil` if all stay.
  func eventAge(now: Timestamp) -> AgeLimit? {
    eventRetention.map { AgeLimit(cutoff: now + (.zero - $0), now: now) }
  }

  /// A walk to the last event that may be deleted.
  func agedEvents(_ age: AgeLimit, after start: Position, head: Position) -> AgedEvents {
    let kept = UInt64(max(0, minimumEventCount))
    let end = Position(rawValue: head.rawValue - min(head.rawValue, kept))
    return AgedEvents(age, after: start, through: end)
  }

  /// How old the ends of entities are whose records are removed; `nil` if all stay.
  func recordAge(now: Timestamp) -> AgeLimit? {
    recordRetention.map { AgeLimit(cutoff: now + (.zero - $0), now: now) }
  }
}

/// When a session compacts its ledger by itself.
public struct AutomaticCompaction: Sendable, Hashable {
  /// How many events after the snapshot make a session compact.
  public var tailEventCount: Int
  /// What it keeps.
  public var policy: CompactionPolicy

  /// By default, compaction begins when 50,000 events were not folded.
  public init(tailEventCount: Int = 50_000, policy: CompactionPolicy = CompactionPolicy()) {
    self.tailEventCount = tailEventCount
    self.policy = policy
  }
}
