import ArgumentParser
package import LedgerRuntime

/// The events and records that compaction keeps.
package struct CompactionOptions: ParsableArguments {
  /// What the verb that has these options does.
  package static let discussion = """
    Compaction folds events into the snapshot, removes records of promises, handlers and \
    sessions that ended long ago, and deletes folded events that are old enough. With \
    --archive, it writes events to an archive before it deletes them. Without --apply, nothing \
    is written. The plan does not count records whose last events are not folded yet; a \
    compaction may remove these, too. Other processes may read and write in the meantime. A \
    compaction may be interrupted at any time, and the next one continues its work. Exit code 4 \
    means that another compaction is running, or that a writer makes no progress. If an event \
    cannot be folded, the exit code is 1 or 5, and no event is deleted.
    """

  @Option(
    help: ArgumentHelp(
      "The minimum time to keep events: seconds, or for example 7d, 12h, 30m, forever. (default: \(Self.words(\.eventRetention)))",
      valueName: "duration"))
  var keepEventsFor: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "The minimum number of the newest events to keep. (default: \(CompactionPolicy().minimumEventCount))",
      valueName: "count"))
  var keepEvents: Int?

  @Option(
    help: ArgumentHelp(
      "The minimum time to keep records of what ended. (default: \(Self.words(\.recordRetention)))",
      valueName: "duration"))
  var keepRecordsFor: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Write events to a file in this directory before they are deleted; import reads such files.",
      valueName: "directory"), completion: .directory)
  var archive: String?

  @Flag(help: "Only fold events into the snapshot; delete no event and remove no record.")
  var foldOnly = false

  private static func words(_ path: KeyPath<CompactionPolicy, Duration?>) -> String {
    DurationArgument(CompactionPolicy()[keyPath: path]).defaultValueDescription
  }

  package func validate() throws {
    if let keepEvents, keepEvents < 0 {
      throw ValidationError("The count of events must not be negative.")
    }
    if archive == "" { throw ValidationError("The archive directory must not be empty.") }
    let isOnly =
      keepEventsFor == nil && keepEvents == nil && keepRecordsFor == nil && archive == nil
    guard !foldOnly || isOnly else {
      throw ValidationError("With --fold-only everything is kept; leave out the other options.")
    }
  }

  package init() {}

  package var policy: CompactionPolicy {
    if foldOnly { return .foldOnly }
    var policy = CompactionPolicy()
    if let keepEventsFor { policy.eventRetention = keepEventsFor.duration }
    if let keepEvents { policy.minimumEventCount = keepEvents }
    if let keepRecordsFor { policy.recordRetention = keepRecordsFor.duration }
    policy.archiveDirectory = archive
    return policy
  }
}
