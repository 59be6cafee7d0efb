import ArgumentParser
import LedgerRuntime

/// The work that an operator selects.
struct WorkSelection: TargetSelection {
  @Option(name: .customLong("state"), help: "Only those in this state; may be repeated.")
  var states: [WorkState] = []

  @OptionGroup var kinds: KindOption
  @OptionGroup var tags: TagOption
  @OptionGroup var older: OlderOption
  @OptionGroup var limit: LimitOption

  enum WorkState: String, ExpressibleByArgument, CaseIterable, Sendable {
    case due, waiting, running, retrying, parked, orphaned
  }

  var isEmpty: Bool {
    states.isEmpty && kinds.kinds.isEmpty && tags.tags.isEmpty && older.age == nil
  }

  func forEach(
    in replayed: ReplayedLedger, at now: Timestamp, progress: () -> Void,
    _ body: (Target) throws -> Bool
  ) throws {
    try replayed.forEachWork(at: now, progress: progress) { record, standing in
      guard states.isEmpty || states.contains(where: { $0.rawValue == standing.state.rawValue }),
        kinds.includes(record.work?.kind), tags.includes(record),
        older.includes(standing.since, at: now)
      else { return true }
      return try body(.promise(record))
    }
  }
}

/// The promises that an operator selects, of those that no code settles.
struct PromiseSelection: TargetSelection {
  @Flag(
    help: """
      Only those that are likely to stay pending forever: without a deadline, created by a \
      session that is gone, and in the arguments of no open handler.
      """)
  var orphaned = false

  @OptionGroup var tags: TagOption
  @OptionGroup var instance: InstanceOption
  @OptionGroup var older: OlderOption
  @OptionGroup var limit: LimitOption

  var isEmpty: Bool {
    !orphaned && tags.tags.isEmpty && instance.name == nil && older.age == nil
  }

  func forEach(
    in replayed: ReplayedLedger, at now: Timestamp, progress: () -> Void,
    _ body: (Target) throws -> Bool
  ) throws {
    try replayed.forEachPromise([.pending], progress: progress) { record in
      guard tags.includes(record), instance.includes(record.creatorInstance),
        older.includes(record.stateTime, at: now), try !orphaned || replayed.isOrphaned(record)
      else { return true }
      return try body(.promise(record))
    }
  }
}

/// The handlers that an operator selects.
struct HandlerSelection: TargetSelection {
  @OptionGroup var kinds: KindOption
  @OptionGroup var scopes: ScopeOption
  @OptionGroup var older: OlderOption
  @OptionGroup var limit: LimitOption

  var isEmpty: Bool { kinds.kinds.isEmpty && scopes.scopes.isEmpty && older.age == nil }

  func forEach(
    in replayed: ReplayedLedger, at now: Timestamp, progress: () -> Void,
    _ body: (Target) throws -> Bool
  ) throws {
    try replayed.forEachHandler(progress: progress) { record in
      guard record.status == .active, kinds.includes(record.kind), scopes.includes(record),
        older.includes(record.stateTime, at: now)
      else { return true }
      return try body(.handler(record))
    }
  }
}
