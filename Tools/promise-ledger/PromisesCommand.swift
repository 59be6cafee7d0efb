import ArgumentParser
import PromiseLedger

/// `promise-ledger promises`: promises by their state.
struct PromisesCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "promises",
    abstract: "Lists promises by their state.",
    discussion: """
      Without --state, the list has the promises that are neither consumed nor abandoned, in the \
      order of their creation; work lists those that code settles. Consumed and abandoned \
      promises come before these, in the order of their ends. After them come promises that need \
      no consumption and were rejected or timed out among the newest 100000 events. --state \
      failed lists every promise, but for work, that was rejected or timed out and was neither \
      consumed nor abandoned. With several options, the list has only promises that match all of them. It \
      shows one moment; space that a compaction frees is reused only after the list is printed.
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

  @Option(
    name: .customLong("tag"), help: "Print only promises with this tag; may be repeated.")
  var tags: [String] = []

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

  @Option(
    help: ArgumentHelp(
      "Print only promises that this instance of an app created.", valueName: "name"))
  var instance: String?

  @Option(help: ArgumentHelp("Print at most this many promises.", valueName: "count"))
  var limit: Int?

  @OptionGroup var output: FormatOptions

  func validate() throws {
    try limit.checkLimit()
  }

  func perform(_ sink: any TextSink) throws {
    let list = RecordList(reading: reading, format: output.format, limit: limit)
    let now = SystemLedgerClock().now()
    try list.print(Record.promiseColumns, to: sink) { replayed, alive, print in
      var goesOn = true
      try replayed.forEachPromise(statuses, progress: alive) { record in
        guard wants(record), try !orphaned || replayed.isOrphaned(record) else { return true }
        let isStale = try replayed.isStale(record)
        guard isStale || !stale else { return true }
        goesOn = try print(Record(record, isStale: isStale, isOverdue: record.isOverdue(at: now)))
        return goesOn
      }
      guard goesOn, !stale, !orphaned, states.isEmpty || states.contains(.failed) else { return }
      // Asked for failures, it looks at everything that ever ended.
      let start = states.isEmpty ? RecentFailures.start(in: replayed) : .start
      try replayed.forEachEndedFailure(of: .promise, after: start, progress: alive) { failure in
        guard case .promise(let record) = failure, record.work == nil, wants(record) else {
          return true
        }
        return try print(Record(record, isStale: false, isOverdue: false))
      }
    }
  }

  private func wants(_ record: PromiseRecord) -> Bool {
    (states.isEmpty || states.contains { $0.fits(record) })
      && tags.allSatisfy(record.tags.contains)
      && (instance == nil || record.creatorInstance == instance)
  }

  private var statuses: Set<PromiseRecord.Status> {
    states.isEmpty ? [.pending, .resolved] : Set(states.map(\.status))
  }
}
