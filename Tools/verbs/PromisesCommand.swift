import ArgumentParser
import LedgerRuntime

/// `promise-ledger promises`: promises by their state.
struct PromisesCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "promises",
    abstract: "Lists promises by their state.",
    discussion: """
      Without --state, the list has the promises that are neither consumed nor abandoned, in the \
      order of their creation; work lists those that code settles. Consumed and abandoned \
      promises come before these, in the order of their ends. After them come joints, which other \
      promises settle, and outcomes of work that must be consumed, and then promises that need no consumption and were rejected or timed out \
      among the newest 100000 events. --state failed lists every promise, but for work that needs no consumption, that was \
      rejected or timed out and was neither consumed nor abandoned. With several options, the list \
      has only promises that match all of them. It shows one moment; space that a compaction frees \
      is reused only after the list is printed.
      """)

  enum State: String, ExpressibleByArgument, CaseIterable {
    case pending, resolved, consumed, abandoned, failed

    /// The status of the promises among which they are.
    var status: PromiseRecord.Status {
      switch self {
      case .pending: .pending
      case .resolved, .failed: .resolved
      case .consumed: .consumed
      case .abandoned: .abandoned
      }
    }

    func fits(_ record: PromiseRecord) -> Bool {
      record.status == status && (self != .failed || record.failed)
    }
  }

  @OptionGroup var reading: ReadingOptions

  @Option(
    name: .customLong("state"), help: "Print only promises in this state; may be repeated.")
  var states: [State] = []

  @OptionGroup var tags: TagOption

  @Flag(
    help: """
      Print only stale promises: resolved, and created by a session that is gone or by an app extension.
      """)
  var stale = false

  @Flag(
    help: """
      Print only promises that are likely to stay pending forever: without a deadline, created by \
      a session that is gone or by an app extension, and in the arguments of no open handler.
      """)
  var orphaned = false

  @Flag(help: "Print only joints: promises that other promises settle.")
  var joints = false

  @OptionGroup var instance: InstanceOption
  @OptionGroup var older: OlderOption
  @OptionGroup var list: ListOptions

  func perform(_ sink: any TextSink) throws {
    let list = RecordList(reading: reading, options: list)
    try list.print(Record.promiseColumns, to: sink) { moment, print in
      var goesOn = true
      if !joints || !statuses.isDisjoint(with: [.consumed, .abandoned]) {
        try moment.replayed.forEachPromise(statuses, progress: moment.alive) { record in
          goesOn = try printIfWanted(record, at: moment, print)
          return goesOn
        }
      }
      guard goesOn else { return }
      try moment.replayed.forEachJointOrOutcome(progress: moment.alive) { record in
        guard statuses.contains(record.status) else { return true }
        goesOn = try printIfWanted(record, at: moment, print)
        return goesOn
      }
      guard goesOn, !stale, !orphaned, states.isEmpty || states.contains(.failed) else { return }
      // Asked for failures, it looks at everything that ever ended.
      let start = states.isEmpty ? RecentFailures.start(in: moment.replayed) : .start
      try moment.replayed.forEachEndedFailure(
        of: .promise, after: start, progress: moment.alive
      ) { failure in
        guard case .promise(let record) = failure, record.work == nil,
          wants(record, at: moment.now)
        else { return true }
        return try print(Record(record, isStale: false, isOverdue: false))
      }
    }
  }

  /// - Returns: Whether the list goes on.
  private func printIfWanted(
    _ record: PromiseRecord, at moment: RecordList.Moment, _ print: (Record) throws -> Bool
  ) throws -> Bool {
    guard wants(record, at: moment.now), try !orphaned || moment.replayed.isOrphaned(record) else {
      return true
    }
    let isStale = try moment.replayed.isStale(record)
    guard isStale || !stale else { return true }
    let pendingCount = try moment.replayed.pendingInputCount(of: record)
    return try print(
      Record(
        record, isStale: isStale, isOverdue: record.isOverdue(at: moment.now),
        pendingInputCount: pendingCount))
  }

  private func wants(_ record: PromiseRecord, at now: Timestamp) -> Bool {
    (states.isEmpty || states.contains { $0.fits(record) }) && tags.includes(record)
      && instance.includes(record.creatorInstance) && (!joints || record.joint != nil)
      && older.includes(record.stateTime, at: now)
  }

  private var statuses: Set<PromiseRecord.Status> {
    states.isEmpty ? [.pending, .resolved] : Set(states.map(\.status))
  }
}
