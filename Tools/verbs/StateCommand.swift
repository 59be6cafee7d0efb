import ArgumentParser
import LedgerRuntime

/// `promise-ledger state`: everything in a ledger at one position.
struct StateCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Lists everything in a ledger, now or after an earlier event.",
    discussion: """
      The list has open promises, joints, work and handlers, in the order of their creation, and \
      the sessions that have not ended; with --all, also what has ended. With --at, the ledger is \
      shown as it was after that event, and work as it was at its time; sessions that had not \
      ended then count as alive, because the log does not tell whether their processes were \
      there. If the events that this needs were deleted, the exit code is 3, and the message tells \
      from which position on the state can be had. The lists promises, handlers, work and sessions \
      take --at, too. In JSON, the first object is about the ledger.
      """)

  @OptionGroup var reading: ReadingOptions

  @Flag(help: "Include promises, handlers and sessions that have ended.")
  var all = false

  @OptionGroup var older: OlderOption
  @OptionGroup var list: ListOptions

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let head = try inspector.head
    try inspector.withMoment(at: list.position, sink) { moment in
      let facts = facts(moment, of: inspector, head)
      let format = list.format
      if format == .table {
        try facts.write(as: .table, to: sink)
        try sink.write("\n")
      }
      var printer = try RecordPrinter(format, StateEntry.columns, to: sink)
      try printer.printAll { printer in
        if format == .json || format == .jsonl {
          try printer.print(Record(cells: [], json: facts.json))
        }
        var left = list.limit ?? .max
        guard left > 0 else { return }
        try StateWalk(moment: moment, includesEnded: all).forEachEntry { entry in
          guard older.includes(entry.since, at: moment.now) else { return true }
          try printer.print(entry.record)
          left -= 1
          return left > 0
        }
      }
    }
  }

  private func facts(
    _ moment: RecordList.Moment, of inspector: BlockingInspector, _ head: Position
  ) -> Report {
    let position = moment.replayed.position
    var facts = Report()
    facts.add("entity", .string("ledger"))
    facts.add("ledger", "ledger", "\(inspector.id)")
    facts.add(
      "position", "position", .unsigned(position.rawValue),
      text: position < head ? "\(position) of \(head)" : "\(position)")
    if position > .start { facts.add("newest event", "time", moment.replayed.newestTime) }
    return facts
  }
}
