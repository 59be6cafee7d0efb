import LedgerVerbs

/// The command `promise-ledger`.
@main
enum PromiseLedgerCommand {
  static func main() { Program.run(as: FileTool()) }
}
