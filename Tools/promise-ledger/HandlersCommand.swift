import ArgumentParser
import PromiseLedger

/// `promise-ledger handlers`: handlers by their state.
struct HandlersCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "handlers",
    abstract: "Lists handlers by their state.",
    discussion: """
      Without --state, the list has the handlers that can be called and those with an unfinished \
      call, in the order of their creation. With --state, the other handlers come before these, \
      in the order of their ends. With several options, the list has only handlers that match all \
      of them. It shows one moment; space that a compaction frees is reused only after the list \
      is printed.
      """)

  enum State: String, ExpressibleByArgument, CaseIterable {
    case active, finished, invalidated

    var status: HandlerRecord.Status {
      switch self {
      case .active: .active
      case .finished: .finished
      case .invalidated: .invalidated
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
    if let limit, limit < 0 { throw ValidationError("The limit must not be negative.") }
  }

  func perform(_ sink: any TextSink) throws {
    let list = RecordList(reading: reading, format: output.format, limit: limit)
    try list.print(Record.handlerColumns, to: sink) { replayed, alive, print in
      try replayed.forEachHandler(includesClosed: includesClosed, progress: alive) { record in
        try !wants(record) || print(Record(record))
      }
    }
  }

  /// Every active handler is open.
  private var includesClosed: Bool { states.contains { $0 != .active } }

  private func wants(_ record: HandlerRecord) -> Bool {
    (states.isEmpty || states.contains { $0.status == record.status })
      && (kinds.isEmpty || kinds.contains(record.kind))
      && scopes.allSatisfy(record.scopes.contains)
  }
}
