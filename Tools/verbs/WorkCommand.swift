import ArgumentParser
import LedgerRuntime

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

  @OptionGroup var kinds: KindOption
  @OptionGroup var tags: TagOption
  @OptionGroup var older: OlderOption

  @Flag(help: "Count the work of each kind by its state, instead of listing it.")
  var byKind = false

  @OptionGroup var list: ListOptions

  func validate() throws {
    guard !byKind || list.format != .ids else {
      throw ValidationError("Kinds have no ids: leave out --by-kind or the format ids.")
    }
  }

  func perform(_ sink: any TextSink) throws {
    let list = RecordList(reading: reading, options: list)
    guard byKind else {
      return try list.print(Record.workColumns, to: sink) { try printAll(at: $0, $1) }
    }
    try list.print(WorkCounts.columns, to: sink) { moment, print in
      var counts = WorkCounts()
      try moment.replayed.forEachWork(at: moment.now, progress: moment.alive) { record, standing in
        if wants(record, standing, at: moment.now) { counts.add(record, standing) }
        return true
      }
      for record in counts.records { guard try print(record) else { return } }
    }
  }

  private func printAll(
    at moment: RecordList.Moment, _ print: (Record) throws -> Bool
  ) throws {
    var goesOn = true
    try moment.replayed.forEachWork(at: moment.now, progress: moment.alive) { record, standing in
      goesOn =
        try !wants(record, standing, at: moment.now) || print(Record(work: record, standing))
      return goesOn
    }
    guard goesOn, states.isEmpty || states.contains(.failed) else { return }
    // Asked for failures, it looks at everything that ever ended.
    let start = states.isEmpty ? RecentFailures.start(in: moment.replayed) : .start
    try moment.replayed.forEachEndedFailure(
      of: .promise, after: start, progress: moment.alive
    ) { failure in
      guard case .promise(let record) = failure, record.work != nil,
        wants(record, since: record.stateTime, at: moment.now)
      else { return true }
      return try print(Record(failedWork: record))
    }
  }

  private func wants(
    _ record: PromiseRecord, _ standing: WorkStanding, at now: Timestamp
  ) -> Bool {
    (states.isEmpty || states.contains { $0.state == standing.state })
      && wants(record, since: standing.since, at: now)
  }

  private func wants(_ record: PromiseRecord, since time: Timestamp, at now: Timestamp) -> Bool {
    kinds.includes(record.work?.kind) && tags.includes(record) && older.includes(time, at: now)
  }
}
