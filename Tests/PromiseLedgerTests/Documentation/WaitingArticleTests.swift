import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

struct Expense: Codable, Sendable {
  let cents: Int
}

enum Verdict: String, Codable, Sendable, Hashable {
  case approved, refused
}

private struct NoAnswer: Error {}

struct ApproveExpense: LedgerWork {
  static let kind = "approve-expense"
  let expense: Expense

  func run(in call: WorkCall<Office>) async throws -> Verdict {
    let office = call.context
    let answer = try await call.promise("answer", of: Verdict.self)
    try await call.step("ask") { _ in try await office.ask(about: expense, answer: answer.id) }
    if let said = try await call.outcome(of: answer, until: day(3, of: call)) {
      return try said.get()
    }
    try await call.step("remind") { _ in try await office.remind(of: expense) }
    guard let said = try await call.outcome(of: answer, until: day(7, of: call)) else {
      throw Permanent(NoAnswer())
    }
    return try said.get()
  }

  private func day(_ number: Int, of call: WorkCall<Office>) -> Timestamp {
    call.startedAt + .seconds(number * 86_400)
  }
}

struct Office: Sendable {
  let notes: Notes

  func ask(about expense: Expense, answer: PromiseID) async throws { notes.add("\(answer)") }
  func remind(of expense: Expense) async throws { notes.add("remind") }
}

/// The code of the article about waiting, run word for word, with a process for each day.
@Suite(.timeLimit(.minutes(5)))
struct WaitingArticleTests {
  private let clock = ManualLedgerClock()
  private let notes = Notes()
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open() async throws -> Ledger {
    let office = Office(notes: notes)
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    try configuration.handlers.register(ApproveExpense.self) { office }
    return try await temporary.open(configuration: configuration)
  }

  /// Lets a process do what is due, each day.
  private func passDays(_ count: Int) async throws {
    for _ in 0..<count {
      let ledger = try await open()
      #expect(try await LedgerRunner(ledger).drain(until: clock.now() + .seconds(60)))
      await ledger.close()
      clock.advance(by: .seconds(86_400))
    }
  }

  private func start() async throws -> PromiseID {
    let ledger = try await open()
    let promise = try await ledger.start(ApproveExpense(expense: Expense(cents: 999)))
    await ledger.close()
    return promise.id
  }

  private func outcome(of id: PromiseID) async throws -> PromiseOutcome<Verdict>? {
    let ledger = try await open()
    let promise = try ledger.promise(id: id, of: Verdict.self)
    let isSettled = try await promise.record?.status == .resolved
    let outcome = isSettled ? try await promise.outcome : nil
    await ledger.close()
    return outcome
  }

  private func answer() async throws {
    let ledger = try await open()
    let id = try #require(notes.lines.first.flatMap { PromiseID($0) })
    let answer = try ledger.promise(id: id, of: Verdict.self)
    try await answer.fulfill(.approved)
    await ledger.close()
  }

  @Test(arguments: [1, 5])
  func anAnswerInTimeDecides(day: Int) async throws {
    let expense = try await start()
    try await passDays(day)
    #expect(try await outcome(of: expense) == nil)
    try await answer()
    try await passDays(1)
    #expect(try await outcome(of: expense) == .fulfilled(.approved))
    #expect(notes.lines.dropFirst() == (day > 3 ? ["remind"] : []))
  }

  @Test func withoutAnAnswerItIsGivenUp() async throws {
    let expense = try await start()
    try await passDays(7)
    #expect(try await outcome(of: expense) == nil)
    try await passDays(1)
    guard case .rejected(let error)? = try await outcome(of: expense) else {
      Issue.record("not rejected")
      return
    }
    #expect(error.domain == "NoAnswer")
    #expect(notes.lines.dropFirst() == ["remind"])
  }
}
