import ArgumentParser
import LedgerVerbs
import PromiseLedgerPostgreSQL

/// `promise-ledger-postgresql create`: a new ledger without events.
struct CreateCommand: SchemaCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Creates a ledger, so that roles can open it that may not create one.",
    discussion: """
      Run it as the owner of the schema. A ledger that exists stays as it is. Opening a ledger as \
      the owner creates it, too.
      """)

  @Argument(help: "The name of the ledger.")
  var ledger: String

  @OptionGroup var server: SchemaOptions
  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let place = try server.place(ledger)
    try server.wait(sink) { try await place.create() }
    var report = Report()
    report.add("name", "name", ledger)
    report.add("ledger", "ledger", "\(try BlockingInspector(place).id)")
    try report.write(as: output.format, to: sink)
  }
}
