import ArgumentParser
import PromiseLedger

/// `promise-ledger log`: the events in the order of the ledger.
struct LogCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Prints the events of a ledger in their order.",
    discussion: """
      The table shows the last 8 digits of each id, which every verb takes; JSON has the whole id. Reading changes \
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
      "Print only events about this promise, handler, session or ledger: \(EntityName.help).",
      valueName: "name"))
  var subject: EntityName?

  @Option(
    help: ArgumentHelp(
      "Print only events about this promise: \(EntityName.help).", valueName: "name"))
  var promise: EntityName?

  @Option(help: ArgumentHelp("Print only events about the promise with this key."))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "Print only events about this handler: \(EntityName.help).", valueName: "name"))
  var handler: EntityName?

  @Option(
    help: ArgumentHelp(
      "Print only events written by, or about, this session: an id, or its beginning or end.",
      valueName: "name"))
  var session: EntityName?

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
    try limit.checkLimit()
    if key != nil, promise != nil { throw ValidationError("Give a promise's id or its key.") }
    if let key { _ = try PromiseKey(checking: key) }
  }

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    var reader = EventReader(inspector: inspector, output: sink)
    reader.after = Position(rawValue: after)
    reader.through = Position(rawValue: through ?? .max)
    reader.follows = follow
    let filter = try makeFilter(inspector, sink)
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

  private func makeFilter(
    _ inspector: BlockingInspector, _ sink: any TextSink
  ) throws -> EventFilter {
    let names = EventNames(inspector: inspector, output: sink)
    var filter = EventFilter()
    filter.kinds = Set(kinds.map(\.kind))
    filter.promise = try key.map { try names.id(of: PromiseKey(checking: $0)) }
    if let promise { filter.promise = try names.id(of: promise, [.promise]) }
    filter.handler = try handler.map { try names.id(of: $0, [.handler]) }
    filter.session = try session.map { try names.id(of: $0, [.session]) }
    filter.subject = try subject.map { try names.id(of: $0, nil) }
    filter.since = since?.time
    filter.until = until?.time
    return filter
  }
}
