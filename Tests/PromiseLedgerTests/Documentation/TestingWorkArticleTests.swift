import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

struct DrawLots: LedgerWork {
  static let kind = "draw-lots"

  func run(in call: WorkCall<Office>) async throws -> Int {
    let number = Int.random(in: 1...1_000_000_000)
    try await call.step("announce") { _ in try await call.context.announce(number) }
    return number
  }
}

extension Office {
  fileprivate func announce(_ number: Int) async throws { notes.add("\(number)") }
}

/// The code of the article about testing work, run word for word.
@Suite(.timeLimit(.minutes(5)))
struct TestingWorkArticleTests {
  private let office = Office(notes: Notes())
  private let shop = Shop(notes: Notes())
  private let expense = Expense(cents: 999)
  private let order = Order(number: 7)

  private func handlers() throws -> HandlerRegistry {
    let (office, shop) = (office, shop)
    var handlers = HandlerRegistry()
    try handlers.register(ApproveExpense.self) { office }
    try handlers.register(FulfilOrder.self) { shop }
    try handlers.register(DrawLots.self) { office }
    return handlers
  }

  @Test func aWeekPassesInNoTime() async throws {
    let handlers = try handlers()
    try await withLedger { tester in
      let worker = try await tester.worker(handlers)
      let promise = try await worker.ledger.start(ApproveExpense(expense: expense))
      let outcome = try await tester.run(worker, until: promise)
      #expect(outcome.kind == .rejected)
    }
    #expect(office.notes.lines.last == "remind")
  }

  @Test func anotherProcessGoesOn() async throws {
    let handlers = try handlers()
    let tester = LedgerTester()
    let worker = try await tester.worker(handlers)
    let promise = try await worker.ledger.start(ApproveExpense(expense: expense))
    try await tester.runDue(worker)
    await worker.kill()

    let other = try await tester.worker(handlers)
    let outcome = try await tester.run(other, until: promise)
    #expect(outcome.kind == .rejected)
    #expect(tester.clock.now() == ManualLedgerClock().now() + .seconds(7 * 86_400))
  }

  @Test func anOrderIsVerified() async throws {
    let handlers = try handlers()
    let verification = try await WorkVerifier(handlers).run { ledger in
      try await ledger.start(FulfilOrder(order: order))
    }
    #expect(verification.outcome?.kind == .fulfilled)
    #expect(verification.stepCount == 3)
  }

  @Test func anApprovalIsVerified() async throws {
    let handlers = try handlers()
    var verifier = WorkVerifier(handlers)
    verifier.signals = { _ in .fulfill(Verdict.approved, after: .seconds(5 * 86_400)) }
    let verification = try await verifier.run { ledger in
      try await ledger.start(ApproveExpense(expense: expense))
    }
    #expect(verification.outcome?.kind == .fulfilled)
  }

  @Test func aNumberThatIsNotKeptIsFound() async throws {
    let handlers = try handlers()
    await #expect(throws: WorkDifference.self) {
      _ = try await WorkVerifier(handlers).run { ledger in try await ledger.start(DrawLots()) }
    }
  }
}
