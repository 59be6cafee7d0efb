import ArgumentParser
import LedgerVerbs
import PromiseLedgerPostgreSQL

/// The name of a new ledger, and the server.
struct NewServerLedgerOptions: NewLedgerOptions, ServerAccess {
  @Argument(help: "The name of the new ledger. There may be none of this name.")
  var ledger: String

  @Option(help: .connection)
  var connection: String?

  @Option(help: .schema)
  var schema = SchemaOptions.usualSchema

  func validate() throws { try checkConnection() }

  func makeLedger(
    from archives: [String], by importer: LedgerImport
  ) throws(LedgerError) -> ArchiveSummary {
    try importer.makeLedger(at: place(ledger), from: archives)
  }
}
