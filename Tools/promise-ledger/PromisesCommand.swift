import ArgumentParser
import PromiseLedger

/// `promise-ledger promises`: promises by their state.
struct PromisesCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "promises",
    abstract: "Lists promises by their state.",
    discussion: """
      Without --state, the list has the promises that are neither consumed nor abandoned, in the \
      order of their creation. Consumed and abandoned promises come before these, in the order of \
      their ends. With several options, the list has only promises that match all of them. It \
      shows one moment; space that a compaction frees is reused only after the list is printed.
      """)

  enum State: String, ExpressibleByArgument, CaseIterable {
    case pending, resolved, consumed, abandoned

    var status: PromiseRecord.Status {
      switch self {
      case .pending: .pending
      case .resolved: .resolved
      case .consumed: .consumed
      case .abandoned: .abandoned
      }
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
    if let limit, limit < 0 { throw ValidationError("The limit must not be negative.") }
  }

  func perform(_ sink: any TextSink) throws {
    let list = RecordList(reading: reading, format: output.format, limit: limit)
    let now = SystemLedgerClock().now()
    try list.print(Record.promiseColumns, to: sink) { replayed, alive, print in
      try replayed.forEachPromise(statuses, progress: alive) { record in
        guard tags.allSatisfy(record.tags.contains), wants(record),
          try !orphaned || replayed.isOrphaned(record)
        else { return true }
        let isStale = try replayed.isStale(record)
        guard isStale || !stale else { return true }
        return try print(Record(record, isStale: isStale, isOverdue: record.isOverdue(at: now)))
      }
    }
  }

  private func wants(_ record: PromiseRecord) -> Bool {
    instance == nil || record.creatorInstance == instance
  }

  private var statuses: Set<PromiseRecord.Status> {
    states.isEmpty ? [.pending, .resolved] : Set(states.map(\.status))
  }
}
