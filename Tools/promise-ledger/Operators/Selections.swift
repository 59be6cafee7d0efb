import ArgumentParser
import PromiseLedger

/// The work that an operator selects.
struct WorkSelection: TargetSelection {
  @Option(name: .customLong("state"), help: "Change all work in this state; may be repeated.")
  var states: [WorkState] = []

  @Option(
    name: .customLong("kind"),
    help: ArgumentHelp("Change all work of this kind; may be repeated.", valueName: "name"))
  var kinds: [String] = []

  @Option(
    name: .customLong("tag"), help: "Change all work with this tag; may be repeated.")
  var tags: [String] = []

  @Option(
    help: ArgumentHelp(
      "Change only work that has had its state for at least this long, such as 1h.",
      valueName: "duration"))
  var older: DurationArgument?

  @Option(help: ArgumentHelp("Change at most this many.", valueName: "count"))
  var limit: Int?

  enum WorkState: String, ExpressibleByArgument, CaseIterable, Sendable {
    case due, waiting, running, retrying, parked, orphaned
  }

  var isEmpty: Bool { states.isEmpty && kinds.isEmpty && tags.isEmpty && older == nil }

  func forEach(
    in replayed: ReplayedLedger, at now: Timestamp, progress: () -> Void,
    _ body: (Target) throws -> Bool
  ) throws {
    try replayed.forEachWork(at: now, progress: progress) { record, standing in
      guard states.isEmpty || states.contains(where: { $0.rawValue == standing.state.rawValue }),
        kinds.isEmpty || record.work.map({ kinds.contains($0.kind) }) ?? false,
        tags.allSatisfy(record.tags.contains), older.includes(standing.since, at: now)
      else { return true }
      return try body(.promise(record))
    }
  }
}

/// The promises that an operator selects, of those that no code settles.
struct PromiseSelection: TargetSelection {
  @Flag(
    help: """
      Change promises that are likely to stay pending forever: without a deadline, created by a \
      session that is gone, and in the arguments of no open handler.
      """)
  var orphaned = false

  @Option(
    name: .customLong("tag"), help: "Change all promises with this tag; may be repeated.")
  var tags: [String] = []

  @Option(
    help: ArgumentHelp(
      "Change all promises that this instance of an app created.", valueName: "name"))
  var instance: String?

  @Option(
    help: ArgumentHelp(
      "Change only promises that were created at least this long ago, such as 1h.",
      valueName: "duration"))
  var older: DurationArgument?

  @Option(help: ArgumentHelp("Change at most this many.", valueName: "count"))
  var limit: Int?

  var isEmpty: Bool { !orphaned && tags.isEmpty && instance == nil && older == nil }

  func forEach(
    in replayed: ReplayedLedger, at now: Timestamp, progress: () -> Void,
    _ body: (Target) throws -> Bool
  ) throws {
    try replayed.forEachPromise([.pending], progress: progress) { record in
      guard tags.allSatisfy(record.tags.contains),
        instance == nil || record.creatorInstance == instance,
        older.includes(record.created.time, at: now),
        try !orphaned || replayed.isOrphaned(record)
      else { return true }
      return try body(.promise(record))
    }
  }
}

/// The handlers that an operator selects.
struct HandlerSelection: TargetSelection {
  @Option(
    name: .customLong("kind"),
    help: ArgumentHelp("Change all handlers of this kind; may be repeated.", valueName: "name"))
  var kinds: [String] = []

  @Option(
    name: .customLong("scope"), help: "Change all handlers with this scope; may be repeated.")
  var scopes: [String] = []

  @Option(
    help: ArgumentHelp(
      "Change only handlers that were created at least this long ago, such as 1h.",
      valueName: "duration"))
  var older: DurationArgument?

  @Option(help: ArgumentHelp("Change at most this many.", valueName: "count"))
  var limit: Int?

  var isEmpty: Bool { kinds.isEmpty && scopes.isEmpty && older == nil }

  func forEach(
    in replayed: ReplayedLedger, at now: Timestamp, progress: () -> Void,
    _ body: (Target) throws -> Bool
  ) throws {
    try replayed.forEachHandler(progress: progress) { record in
      guard record.status == .active, kinds.isEmpty || kinds.contains(record.kind),
        scopes.allSatisfy(record.scopes.contains), older.includes(record.created.time, at: now)
      else { return true }
      return try body(.handler(record))
    }
  }
}

extension DurationArgument? {
  /// Whether a time lies at least this long before the present; without a duration, any does.
  fileprivate func includes(_ time: Timestamp, at now: Timestamp) -> Bool {
    guard let self else { return true }
    return self.duration.map { now - time >= $0 } ?? false
  }
}
