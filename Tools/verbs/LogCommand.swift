import ArgumentParser
import LedgerRuntime

/// `promise-ledger log`: the events in the order of the ledger.
struct LogCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Prints the events of a ledger in their order.",
    discussion: """
      The table shows the last 8 digits of each id, which every verb takes; JSON has the whole id. Reading changes \
      nothing in the ledger and blocks no process. Events of kinds or versions that this build \
      does not know are marked, and the exit code is then 1. With several options, the list has \
      only events that match all of them. With --cursor-file, the list goes on after the event \
      that was printed last; the file is replaced once the output was written. If the command is \
      killed before that, the next run prints some events again, but leaves none out. The exit \
      code is 2 if the cursor is of another ledger. With --follow, it is 3 if the ledger was removed \
      meanwhile, and 5 if it was replaced.
      """)

  @OptionGroup var reading: ReadingOptions

  @Option(help: ArgumentHelp("Print only events after this position.", valueName: "position"))
  var after: UInt64 = 0

  @Option(help: ArgumentHelp("Print only events up to this position.", valueName: "position"))
  var through: UInt64?

  @OptionGroup var limit: LimitOption

  @Option(
    name: [.customLong("tail"), .customShort("n")],
    help: ArgumentHelp("Print only the last of the wanted events, this many.", valueName: "count"))
  var tail: Int?

  @Flag(name: [.customLong("reverse"), .customShort("r")], help: "Print the newest event first.")
  var reverse = false

  @Option(
    help: ArgumentHelp(
      "Go on after the event that this file names, and then write the last printed one to it.",
      valueName: "file"), completion: .file())
  var cursorFile: String?

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
    if let tail, tail < 0 { throw ValidationError("The count of --tail must not be negative.") }
    if reverse, follow { throw ValidationError("--follow has no end to start --reverse from.") }
    if cursorFile != nil, reverse || after > 0 {
      throw ValidationError("--cursor-file goes forwards, from its own position.")
    }
    if cursorFile == "" { throw ValidationError("The name of the cursor file is empty.") }
    if key != nil, promise != nil { throw ValidationError("Give a promise's id or its key.") }
    if let key { _ = try PromiseKey(checking: key) }
  }

  var markFile: String? { cursorFile }

  func perform(_ sink: any TextSink) throws {
    let (inspector, followed) =
      follow ? try reading.openToFollow() : (try reading.open(), nil)
    if let cursorFile { try reading.check(output: cursorFile) }
    var reader = EventReader(inspector: inspector, output: sink)
    reader.after = try start(in: inspector)
    reader.through = Position(rawValue: through ?? .max)
    reader.followed = followed
    reader.pause = min(reader.pause, reading.pulseInterval)
    let filter = try makeFilter(inspector, sink)
    var printer = try RecordPrinter(
      output.format, Record.eventColumns, to: sink, isEndless: follow,
      leavesOutEmptyTable: cursorFile != nil)
    var findings = Findings()
    var left = min(limit.count ?? .max, reverse ? tail ?? .max : .max)
    var (last, marked): (Position?, Position?)
    try printer.printAll { printer in
      guard left > 0 else { return }
      reader.pausing = { [cursorFile] in
        guard cursorFile != nil, let position = last, position != marked else { return }
        marked = position
        try sink.mark(EventCursor(ledger: inspector.id, position: position).bytes)
      }
      func print(_ event: LedgerEvent) throws -> Bool {
        guard filter.wants(event) else { return true }
        let details = EventDetails(of: event, in: inspector)
        findings.count(details.problem)
        try printer.print(Record(event, details))
        last = event.position
        left -= 1
        return left > 0
      }
      guard !reverse else { return try reader.readBackwards(print) }
      if let tail { reader.after = try reader.start(ofLast: tail, wantedBy: filter) }
      try reader.read(print)
    }
    try findings.throwIfAny()
  }

  /// The position after which it starts.
  private func start(in inspector: BlockingInspector) throws -> Position {
    guard let cursorFile, let cursor = try EventCursor(from: cursorFile) else {
      return Position(rawValue: after)
    }
    try cursor.check(against: inspector, of: cursorFile)
    return cursor.position
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
