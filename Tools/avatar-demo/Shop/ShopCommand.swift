import ArgumentParser
import PromiseLedger

/// A shop that fulfils orders until none is left.
struct ShopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shop", abstract: "Takes an order, or goes on with those that it finds.")

  @Argument(help: "The ledger.")
  var ledger: String

  @Option(help: "The name of an order to take.")
  var order: String?

  @Flag(help: "The carrier does not answer.")
  var carrierHangs = false

  func run() async throws {
    let say = Narrator("shop")
    let shop = Shop(say: say, carrierHangs: carrierHangs)
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(FulfilOrder.self) { shop }
    let ledger = try await Ledger.open(at: ledger, as: .app, configuration: configuration)
    say("opened the ledger")
    if let order {
      try await ledger.start(FulfilOrder(order: order), key: PromiseKey(order))
      say("took \(order)")
    }
    let work = try await ledger.openWork(ofKind: FulfilOrder.kind)
    let runner = Task { try await LedgerRunner(ledger).run() }
    for record in work {
      let outcome = try await ledger.promise(id: record.id, of: String.self).outcome
      say("\(record.key ?? "an order") is \(outcome.kind): \(try outcome.get())")
    }
    runner.cancel()
    try await runner.value
    await ledger.close()
    say("ends")
  }
}
