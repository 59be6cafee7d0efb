import ArgumentParser
import PromiseLedger

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

  @Option(
    name: .customLong("kind"),
    help: ArgumentHelp("Print only handlers of this kind; may be repeated.", valueName: "name"))
  var kinds: [String] = []

  @Option(
    name: .customLong("scope"), help: "Print only handlers with this scope; may be repeated.")
  var scopes: [String] = []

  @Option(help: ArgumentHelp("Print at most this many handlers.", valueName: "count"))
  var limit: Int?

  @OptionGroup var output: FormatOptions

  func validate() throws {
    try limit.checkLimit()
  }

  func perform(_ sink: any TextSink) throws {
    let list = RecordList(reading: reading, format: output.format, limit: limit)
    try list.print(Record.handlerColumns, to: sink) { replayed, alive, print in
      let liveness = try SessionLiveness(replayed)
      var goesOn = true
      try replayed.forEachHandler(includesClosed: includesClosed, progress: alive) { record in
        goesOn = try !wants(record) || print(Record(record, liveness.runners(of: record)))
        return goesOn
      }
      guard goesOn, states.isEmpty else { return }
      let start = RecentFailures.start(in: replayed)
      try replayed.forEachEndedFailure(of: .handler, after: start, progress: alive) { failure in
        guard case .handler(let record) = failure else { return true }
        return try !wants(record) || print(Record(record, [:]))
      }
    }
  }

  /// Every active handler is open.
  private var includesClosed: Bool { states.contains { $0 != .active } }

  private func wants(_ record: HandlerRecord) -> Bool {
    (states.isEmpty || states.contains { $0.fits(record) })
      && (kinds.isEmpty || kinds.contains(record.kind))
      && scopes.allSatisfy(record.scopes.contains)
  }
}
