import ArgumentParser
import LedgerVerbs

/// The tool for ledgers on PostgreSQL servers.
struct ServerTool: Tool {
  let name = "promise-ledger-postgresql"
  let abstract =
    "Inspects a promise ledger on a PostgreSQL server, compacts it, and acts on its promises."

  let wording = ToolWording(
    placeholder: "NAME", ledger: "orders", archive: "./backup.jsonl",
    ambiguousNames: "An archive is given by a path with a slash.",
    sameLedger: "with the same name")

  var ownVerbs: [any ParsableCommand.Type] {
    [
      CompactCommand.self, LedgersCommand.self, CreateSchemaCommand.self, CreateCommand.self,
      GrantCommand.self,
    ]
  }

  var ledgerOptions: any LedgerOptions.Type { ServerOptions.self }
  var sharedOptions: any SharedOptions.Type { SharedServerOptions.self }
  var newLedgerOptions: any NewLedgerOptions.Type { NewServerLedgerOptions.self }

  var silence: (status: Status, advice: String) {
    (
      .busy,
      "The server may be slow, or may hang: look at pg_stat_activity, raise --timeout, and try again."
    )
  }

  /// Only the server knows.
  func mayNameLedger(_ word: String) -> Bool { true }
}
