import ArgumentParser
import LedgerVerbs
import PromiseLedgerPostgreSQL

/// `promise-ledger-postgresql create-schema`: the tables for ledgers.
struct CreateSchemaCommand: SchemaCommand {
  static let configuration = CommandConfiguration(
    commandName: "create-schema",
    abstract: "Creates the tables for ledgers, or migrates those of an older version.",
    discussion: """
      Run it as the role that is to own the ledgers, and again after each update. It may be run \
      at any time. Exit code 6 means that a newer version made the tables.
      """)

  @OptionGroup var server: SchemaOptions
  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let place = try server.schemaPlace()
    try server.wait(sink) { try await place.createSchema() }
    var report = Report()
    report.add("schema", "schema", server.schema)
    try report.write(as: output.format, to: sink)
  }
}
