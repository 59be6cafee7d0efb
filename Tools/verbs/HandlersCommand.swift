import ArgumentParser
import LedgerRuntime

/// `promise-ledger handlers`: handlers by their state.
struct HandlersCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "handlers",
    abstract: "Lists handlers by their state.",
    discussion: """
      Without --state, the list has the handlers that can be called and those with an unfinished \
      call, in the order of their creation, and after them those that ended among the newest \
      100000 events with a failure. With --state, the other handlers come first, in the order of \
      their ends; --state failed lists every handler whose newest run failed. With several \
      options, the list has only handlers that match all of them. It shows one moment; space that \
      a compaction frees is reused only after the list is printed.
      """)

  enum State: String, ExpressibleByArgument, CaseIterable {
    case active, finished, invalidated, failed

    func fits(_ record: HandlerRecord) -> Bool {
      switch self {
      case .active: record.status == .active
      case .finished: record.status == .finished
      case .invalidated: record.status == .invalidated
      case .failed: record.lastFinish?.outcome == .failed
      }
    }
  }

  @OptionGroup var reading: ReadingOptions

  @Option(
    name: .customLong("state"), help: "Print only handlers in this state; may be repeated.")
  var states: [State] = []

  @OptionGroup var kinds: KindOption
  @OptionGroup var scopes: ScopeOption
  @OptionGroup var older: OlderOption
  @OptionGroup var list: ListOptions

  func perform(_ sink: any TextSink) throws {
    let list = RecordList(reading: reading, options: list)
    try list.print(Record.handlerColumns, to: sink) { moment, print in
      let liveness = try SessionLiveness(moment.replayed)
      var goesOn = true
      try moment.replayed.forEachHandler(includesClosed: includesClosed, progress: moment.alive) {
        record in
        goesOn =
          try !wants(record, at: moment.now) || print(Record(record, liveness.runners(of: record)))
        return goesOn
      }
      guard goesOn, states.isEmpty else { return }
      let start = RecentFailures.start(in: moment.replayed)
      try moment.replayed.forEachEndedFailure(
        of: .handler, after: start, progress: moment.alive
      ) { failure in
        guard case .handler(let record) = failure else { return true }
        return try !wants(record, at: moment.now) || print(Record(record, [:]))
      }
    }
  }

  /// Every active handler is open.
  private var includesClosed: Bool { states.contains { $0 != .active } }

  private func wants(_ record: HandlerRecord, at now: Timestamp) -> Bool {
    (states.isEmpty || states.contains { $0.fits(record) }) && kinds.includes(record.kind)
      && scopes.includes(record) && older.includes(record.stateTime, at: now)
  }
}
