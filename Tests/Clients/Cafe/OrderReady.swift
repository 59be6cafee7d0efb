import PromiseLedger

/// What happens when a drink is ready, in whichever process that becomes known.
struct OrderReady: LedgerHandler {
  static let kind = "order-ready"

  let drink: String
  let promise: DurablePromise<String>
  let table: Int

  func run(in call: HandlerCall<Void>) throws {
    try call.fulfill(promise, "Your \(drink) is at table \(table).")
  }
}
