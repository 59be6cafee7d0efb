import ArgumentParser
import PromiseLedger

/// `promise-ledger work`: pending work by its state.
struct WorkCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "work",
    abstract: "Lists pending work by its state, and work that failed.",
    discussion: """
      Work is due if its trigger is reached and no session runs it; orphaned if, besides, no \
      session is open in a living process, so that nothing can run it now; waiting before its \
      trigger; retrying if its code failed and the time of the next attempt has not come; running \
      if the log shows an attempt, whose session may be gone; parked if it needs an operator. \
      Sessions do not record the kinds that they run, so work of a kind that no open session \
      knows is due. The list is in the order of creation. After it comes work that failed for good, \
      among the newest 100000 events, and whose failure was neither consumed nor abandoned; \
      --state failed lists all of that. With several options, the list has only work that matches \
      all of them. It shows one moment; space that a compaction frees is reused only \
      after the list is printed.
      """)

  enum State: String, ExpressibleByArgument, CaseIterable {
    case due, waiting, running, retrying, parked, orphaned, failed

    /// The state of pending work; `nil` if the promise is settled.
    var state: WorkStanding.State? {
      switch self {
      case .due: .due
      case .waiting: .waiting
      case .running: .running
      case .retrying: .retrying
      case .parked: .parked
      case .orphaned: .orphaned
      case .failed: nil
      }
    }
  }

  @OptionGroup var reading: ReadingOptions

  @Option(name: .customLong("state"), help: "Print only work in this state; may be repeated.")
  var states: [State] = []

  @Option(
    name: .customLong("kind"),
    help: ArgumentHelp("Print only work of this kind; may be repeated.", valueName: "name"))
  var kinds: [String] = []

  @Flag(help: "Count the work of each kind by its state, instead of listing it.")
  var byKind = false

  @Option(help: ArgumentHelp("Print at most this many lines.", valueName: "count"))
  var limit: Int?

  @OptionGroup var output: FormatOptions

  func validate() throws {
    try limit.checkLimit()
  }

  func perform(_ sink: any TextSink) throws {
    let list = RecordList(reading: reading, format: output.format, limit: limit)
    let now = SystemLedgerClock().now()
    guard byKind else {
      return try list.print(Record.workColumns, to: sink) { replayed, alive, print in
        var goesOn = true
        try replayed.forEachWork(at: now, progress: alive) { record, standing in
          goesOn = try !wants(record, standing) || print(Record(work: record, standing))
          return goesOn
        }
        guard goesOn, states.isEmpty || states.contains(.failed) else { return }
        // Asked for failures, it looks at everything that ever ended.
        let start = states.isEmpty ? RecentFailures.start(in: replayed) : .start
        try replayed.forEachEndedFailure(of: .promise, after: start, progress: alive) { failure in
          guard case .promise(let record) = failure, record.work != nil, wants(record) else {
            return true
          }
          return try print(Record(failedWork: record))
        }
      }
    }
    try list.print(WorkCounts.columns, to: sink) { replayed, alive, print in
      var counts = WorkCounts()
      try replayed.forEachWork(at: now, progress: alive) { record, standing in
        if wants(record, standing) { counts.add(record, standing) }
        return true
      }
      for record in counts.records { guard try print(record) else { return } }
    }
  }

  private func wants(_ record: PromiseRecord, _ standing: WorkStanding) -> Bool {
    (states.isEmpty || states.contains { $0.state == standing.state }) && wants(record)
  }

  private func wants(_ record: PromiseRecord) -> Bool {
    (kinds.isEmpty || record.work.map { kinds.contains($0.kind) } ?? false)
  }
}
