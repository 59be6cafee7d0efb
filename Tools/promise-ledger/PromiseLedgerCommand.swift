import ArgumentParser

@main
struct PromiseLedgerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promise-ledger",
    abstract: "Looks into a promise ledger."
  )
}
