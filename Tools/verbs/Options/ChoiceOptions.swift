import ArgumentParser
import LedgerRuntime

// The options that choose among what is in a ledger. A list prints what they choose; an operator's verb
// changes it.

/// The option that chooses by the kind of code.
struct KindOption: ParsableArguments {
  @Option(
    name: .customLong("kind"),
    help: ArgumentHelp("Only those of this kind of code; may be repeated.", valueName: "name"))
  var kinds: [String] = []

  func includes(_ kind: String?) -> Bool { kinds.isEmpty || kind.map(kinds.contains) ?? false }
}

/// The option that chooses by tags.
struct TagOption: ParsableArguments {
  @Option(
    name: .customLong("tag"),
    help: "Only those with this tag; with several, only those with all of them.")
  var tags: [String] = []

  func includes(_ record: PromiseRecord) -> Bool { tags.allSatisfy(record.tags.contains) }
}

/// The option that chooses by scopes.
struct ScopeOption: ParsableArguments {
  @Option(
    name: .customLong("scope"),
    help: "Only those with this scope; with several, only those with all of them.")
  var scopes: [String] = []

  func includes(_ record: HandlerRecord) -> Bool { scopes.allSatisfy(record.scopes.contains) }
}

/// The option that chooses by the instance of an app.
struct InstanceOption: ParsableArguments {
  @Option(
    name: .customLong("instance"),
    help: ArgumentHelp("Only those that this instance of an app created.", valueName: "name"))
  var name: String?

  func includes(_ instance: String?) -> Bool { name == nil || name == instance }
}

/// The option that chooses by age.
struct OlderOption: ParsableArguments {
  @Option(
    name: .customLong("older"),
    help: ArgumentHelp(
      "Only those that have had their state for at least this long, such as 1h.",
      valueName: "duration"))
  var age: DurationArgument?

  func includes(_ time: Timestamp, at now: Timestamp) -> Bool { age.includes(time, at: now) }
}

extension DurationArgument? {
  /// Whether a time lies at least this long before another; without a duration, any does.
  func includes(_ time: Timestamp, at now: Timestamp) -> Bool {
    guard let self else { return true }
    return self.duration.map { now - time >= $0 } ?? false
  }
}

extension PromiseRecord {
  /// The time since which it has its status.
  var stateTime: Timestamp { (abandoned ?? consumed ?? resolved ?? created).time }
}

extension HandlerRecord {
  /// The time since which it has its status.
  var stateTime: Timestamp {
    switch status {
    case .active: created.time
    case .finished: (lastFinish?.trace ?? created).time
    case .invalidated: (invalidation?.trace ?? created).time
    }
  }
}
