/// The rules for which events and records compaction keeps, and for how long.
///
/// Regardless of the policy, all open entities stay, and so does everything that they refer to. When a keyed
/// entity is removed, a tombstone stays forever.
public struct CompactionPolicy: Sendable, Hashable {
  /// The minimum time to keep events; `nil` forever.
  public var eventRetention: Duration? = .seconds(7 * 86_400)

  /// The minimum number of the newest events to keep.
  public var minimumEventCount: Int = 1_000

  /// The minimum time to keep the records of closed promises, handlers and sessions, counted from their ends;
  /// `nil` forever.
  ///
  /// A promise closes when it is consumed or abandoned, or when it is settled if its outcome needs no consumption,
  /// like that of most work. While a record exists, it answers late resolves and repeated requests.
  public var recordRetention: Duration? = .seconds(30 * 86_400)

  /// The directory in which events are archived before they are deleted; `nil` for no archive.
  ///
  /// Each compaction that deletes events first writes one file there, named after the ledger and the
  /// positions of the first and the last event. ``LedgerImport`` makes a ledger from these files again.
  ///
  /// A file is never replaced. If a file of that name holds other events, as may happen after the ledger was
  /// restored from a backup, compaction fails with `alreadyExists` and deletes nothing.
  public var archiveDirectory: String?

  /// Makes a policy with the defaults: keeps events for 7 days, at least 1,000 of them, and records for 30
  /// days.
  public init() {}

  /// A policy that folds events, but neither deletes events nor removes records.
  public static let foldOnly: CompactionPolicy = {
    var policy = CompactionPolicy()
    policy.eventRetention = nil
    policy.recordRetention = nil
    return policy
  }()
}

extension CompactionPolicy {
  /// The minimum age of events that may be deleted; `nil` if all stay.
  func eventAge(now: Timestamp) -> AgeLimit? {
    eventRetention.map { AgeLimit(cutoff: now + (.zero - $0), now: now) }
  }

  /// A walk to the last event that may be deleted.
  func agedEvents(_ age: AgeLimit, after start: Position, head: Position) -> AgedEvents {
    let kept = UInt64(max(0, minimumEventCount))
    let end = Position(rawValue: head.rawValue - min(head.rawValue, kept))
    return AgedEvents(age, after: start, through: end)
  }

  /// The minimum time since the ends of entities whose records are removed; `nil` if all stay.
  func recordAge(now: Timestamp) -> AgeLimit? {
    recordRetention.map { AgeLimit(cutoff: now + (.zero - $0), now: now) }
  }
}

/// The conditions under which a session compacts its ledger automatically.
public struct AutomaticCompaction: Sendable, Hashable {
  /// The number of events after the snapshot at which a session compacts the ledger.
  public var tailEventCount: Int
  /// The policy of the compaction.
  public var policy: CompactionPolicy

  /// Creates the conditions. By default, compaction begins after 50,000 unfolded events.
  public init(tailEventCount: Int = 50_000, policy: CompactionPolicy = CompactionPolicy()) {
    self.tailEventCount = tailEventCount
    self.policy = policy
  }
}
