import LedgerVerbs

/// The command `promise-ledger-postgresql`.
@main
enum PromiseLedgerPostgreSQLCommand {
  static func main() { Program.run(as: ServerTool()) }
}
