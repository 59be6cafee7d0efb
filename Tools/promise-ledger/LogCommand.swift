import ArgumentParser
import PromiseLedger

/// `promise-ledger log`: the events in the order of the ledger.
struct LogCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Prints the events of a ledger in their order.",
    discussion: """
      The table shows the last 8 digits of each id; JSON has the whole id. Reading changes \
      nothing in the ledger and blocks no process. Events of kinds or versions that this build \
      does not know are marked, and the exit code is then 1. With several options, the list has \
      only events that match all of them.
      """)

  @OptionGroup var reading: ReadingOptions

  @Option(help: ArgumentHelp("Print only events after this position.", valueName: "position"))
  var after: UInt64 = 0

  @Option(help: ArgumentHelp("Print only events up to this position.", valueName: "position"))
  var through: UInt64?

  @Option(help: ArgumentHelp("Print at most this many events.", valueName: "count"))
  var limit: Int?

  @Option(
    name: .customLong("kind"),
    help: ArgumentHelp("Print only events of this kind; may be repeated.", valueName: "name"),
    completion: .list(EventKind.all.compactMap(\.name)))
  var kinds: [KindArgument] = []

  @Option(
    help: ArgumentHelp(
      "Print only events about promises whose id begins with this.", valueName: "id"))
  var promise: IDPrefix?

  @Option(help: ArgumentHelp("Print only events about the promise with this key."))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "Print only events about handlers whose id begins with this.", valueName: "id"))
  var handler: IDPrefix?

  @Option(
    help: ArgumentHelp(
      "Print only events written by, or about, sessions whose id begins with this.",
      valueName: "id"))
  var session: IDPrefix?

  @Option(
    help: ArgumentHelp(
      "Print only events at this time of the writer's clock or later, in UTC, such as 2026-01-31T12:00:00Z.",
      valueName: "time"))
  var since: TimeArgument?

  @Option(help: ArgumentHelp("Print only events at this time or earlier.", valueName: "time"))
  var until: TimeArgument?

  @Flag(help: "Wait for new events and print them as they come, until interrupted.")
  var follow = false

  @OptionGroup var output: FormatOptions

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("The limit must not be negative.") }
    if key != nil, promise != nil { throw ValidationError("Give a promise's id or its key.") }
    if let key { _ = try PromiseKey(checking: key) }
  }

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    var reader = EventReader(inspector: inspector, output: sink)
    reader.after = Position(rawValue: after)
    reader.through = Position(rawValue: through ?? .max)
    reader.follows = follow
    let filter = try makeFilter()
    var printer = try RecordPrinter(
      output.format, Record.eventColumns, to: sink, isEndless: follow)
    var findings = Findings()
    var left = limit ?? .max
    try printer.printAll { printer in
      guard left > 0 else { return }
      try reader.read { event in
        guard filter.wants(event) else { return true }
        let details = EventDetails(of: event, in: inspector)
        findings.count(details.problem)
        try printer.print(Record(event, details))
        left -= 1
        return left > 0
      }
    }
    try findings.throwIfAny()
  }

  private func makeFilter() throws -> EventFilter {
    var filter = EventFilter()
    filter.kinds = Set(kinds.map(\.kind))
    filter.promise = try key.map { IDPrefix(try PromiseKey(checking: $0).promiseID.entityID) }
    if let promise { filter.promise = promise }
    filter.handler = handler
    filter.session = session
    filter.since = since?.time
    filter.until = until?.time
    return filter
  }
}
