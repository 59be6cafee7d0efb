import PromiseLedger

/// Fulfils an order: charges the card, ships, and tells the customer. Whatever process goes on with it, no step
/// whose result the ledger has runs again.
struct FulfilOrder: LedgerWork {
  static let kind = "fulfil-order"

  let order: String

  func run(in call: WorkCall<Shop>) async throws -> String {
    let shop = call.context
    let receipt = try await call.step("charge") { step in
      shop.charge(for: order, key: step.idempotencyKey)
    }
    do {
      try await call.step("ship") { _ in try await shop.ship(order) }
    } catch let failure as StepFailure {
      try await call.step("refund", retrying: WorkRetryPolicy(failureLimit: nil)) { _ in
        shop.refund(receipt)
      }
      throw failure
    }
    try await call.step("e-mail") { _ in shop.email(about: order) }
    return receipt
  }
}

/// The services that an order needs.
struct Shop: Sendable {
  let say: Narrator
  /// Whether the carrier does not answer.
  let carrierHangs: Bool

  func charge(for order: String, key: String) -> String {
    say("charges the card for \(order)")
    return "receipt of \(order)"
  }

  func ship(_ order: String) async throws {
    say("asks the carrier to fetch \(order)")
    if carrierHangs { try await Task.sleep(for: .seconds(3_600)) }
    say("the carrier has fetched \(order)")
  }

  func refund(_ receipt: String) { say("pays back: \(receipt)") }

  func email(about order: String) { say("e-mails the customer: \(order) is on its way") }
}
