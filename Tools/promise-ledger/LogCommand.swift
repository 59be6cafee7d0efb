import ArgumentParser
import PromiseLedger

/// `promise-ledger log`: the events as they stand in the ledger.
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Prints the events of a ledger in their order.",
    discussion: """
      The table shows the last 8 digits of ids; JSON has them whole. Reading changes nothing in the \
      ledger and holds nobody up. If there are events of kinds or versions that this build does not \
      know, they are shown as such and the exit code is 1.
      """)

  @Argument(help: "The directory of the ledger.", completion: .directory)
  var path: String

  @Option(help: "Print only events after this position.")
  var after: UInt64 = 0

  @Option(help: "Print at most this many events.")
  var limit: Int?

  @Option(
    name: .customLong("kind"),
    help: ArgumentHelp("Print only events of this kind; may be repeated.", valueName: "name"),
    completion: .list(EventKind.all.compactMap(\.name)))
  var kinds: [KindArgument] = []

  @Option(help: "How events are printed.")
  var format: EventFormat = .table

  @Flag(
    help: """
      Do not register as a reader, so that a directory can be read without permission to write. \
      Only for a ledger that no process has open.
      """)
  var withoutLock = false

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("The limit must not be negative.") }
  }

  func run() async throws {
    let inspector = try Ledger.inspect(at: path, locking: !withoutLock)
    let filter = EventFilter(
      after: Position(rawValue: after), kinds: Set(kinds.map(\.kind)), limit: limit)
    var printer = EventPrinter(format: format)
    try printer.begin()
    do {
      try filter.forEach(in: inspector) { event in
        try printer.print(event, EventDetails(of: event, in: inspector))
      }
    } catch let damage as LedgerError {
      // What could be read is shown, and is whole JSON, before the damage is told.
      try printer.end()
      throw damage
    }
    try printer.end()
    try printer.findings.throwIfAny()
  }
}
