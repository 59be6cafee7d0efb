import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

struct Order: Codable, Sendable {
  let number: Int
}

struct Charge: Codable, Sendable, Hashable {
  let cents: Int
}

struct FulfilOrder: LedgerWork {
  static let kind = "fulfil-order"
  let order: Order

  func run(in call: WorkCall<Shop>) async throws -> Charge {
    let shop = call.context
    let charge = try await call.step("charge") { step in
      try await shop.charge(order, key: step.idempotencyKey)
    }
    do {
      try await call.step("ship") { step in try await shop.ship(order, key: step.idempotencyKey) }
    } catch let failure as StepFailure {
      try await call.step("refund", ignoringCancellation: true) { step in
        try await shop.refund(charge, key: step.idempotencyKey)
      }
      throw failure
    }
    try await call.step("email") { _ in try await shop.email(order) }
    return charge
  }
}

struct Shop: Sendable {
  let notes: Notes
  var isSoldOut = false
  /// What happens before a parcel leaves.
  var beforeShipping: @Sendable () async throws -> Void = {}

  func charge(_ order: Order, key: String) async throws -> Charge {
    notes.add("charge \(order.number)")
    return Charge(cents: 1_999)
  }

  func ship(_ order: Order, key: String) async throws {
    try await beforeShipping()
    if isSoldOut { throw Permanent(ScriptedError(text: "sold out")) }
    notes.add("ship \(order.number)")
  }

  func refund(_ charge: Charge, key: String) async throws { notes.add("refund \(charge.cents)") }

  func email(_ order: Order) async throws { notes.add("email \(order.number)") }
}

/// The code of the article about steps, run word for word.
@Suite(.timeLimit(.minutes(5)))
struct StepsArticleTests {
  private let notes = Notes()
  private let order = Order(number: 7)

  private func open(isSoldOut: Bool = false) async throws -> (TemporaryLedger, Ledger) {
    let temporary = try TemporaryLedger()
    let shop = Shop(notes: notes, isSoldOut: isSoldOut)
    var configuration = LedgerConfiguration()
    configuration.runner = .automatic
    try configuration.handlers.register(FulfilOrder.self) { shop }
    return (temporary, try await temporary.open(configuration: configuration))
  }

  @Test func anOrderIsFulfilled() async throws {
    let (_, ledger) = try await open()
    let charge = try await ledger.start(FulfilOrder(order: order), key: PromiseKey("order/7"))
    #expect(try await charge.outcome == .fulfilled(Charge(cents: 1_999)))
    #expect(notes.lines == ["charge 7", "ship 7", "email 7"])
    await ledger.close()
  }

  @Test func whatCannotBeShippedIsRefunded() async throws {
    let (_, ledger) = try await open(isSoldOut: true)
    let charge = try await ledger.start(FulfilOrder(order: order))
    #expect(
      try await charge.outcome == .rejected(StoredError(ScriptedError(text: "sold out"))))
    #expect(notes.lines == ["charge 7", "refund 1999"])
    await ledger.close()
  }
}
