import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

struct SendInvoice: LedgerWork {
  static let kind = "send-invoice"
  static let formerKinds = ["mail-invoice"]
  let customer: String
  var language: String?

  func run(in call: WorkCall<Mailroom>) async throws -> String {
    let mailroom = call.context
    let number = try await call.step("number", formerly: ["reserve-number"]) { _ in
      mailroom.nextNumber()
    }
    try await call.step("send") { _ in
      mailroom.send(number, to: customer, in: language ?? "en")
    }
    return number
  }
}

/// The code of the build before.
private struct MailInvoice: LedgerWork {
  static let kind = "mail-invoice"
  let customer: String

  func run(in call: WorkCall<Mailroom>) async throws -> String {
    let number = try await call.step("reserve-number") { _ in call.context.nextNumber() }
    // The update comes meanwhile.
    try await call.sleep(for: .seconds(3_600))
    return number
  }
}

struct Mailroom: Sendable {
  let notes: Notes

  func nextNumber() -> String {
    notes.add("number")
    return "2026-\(notes.lines.count)"
  }

  func send(_ number: String, to customer: String, in language: String) {
    notes.add("\(number) to \(customer) in \(language)")
  }
}

/// The code of the article about changes of code, run word for word after that of the build before.
@Suite(.timeLimit(.minutes(5)))
struct ChangingCodeArticleTests {
  private let clock = ManualLedgerClock()
  private let notes = Notes()
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(_ register: (inout LedgerConfiguration) throws -> Void) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    try register(&configuration)
    return try await temporary.open(configuration: configuration)
  }

  @Test func aRenamedKindGoesOnWithARenamedStep() async throws {
    let mailroom = Mailroom(notes: notes)
    let old = try await open { try $0.handlers.register(MailInvoice.self) { mailroom } }
    let id = try await old.start(MailInvoice(customer: "Ada")).id
    #expect(try await LedgerRunner(old).drain(until: clock.now() + .seconds(60)))
    await old.close()
    clock.advance(by: .seconds(3_600))
    let new = try await open { try $0.handlers.register(SendInvoice.self) { mailroom } }
    #expect(try await LedgerRunner(new).drain(until: clock.now() + .seconds(60)))
    #expect(try await new.promise(id: id, of: String.self).outcome == .fulfilled("2026-1"))
    #expect(notes.lines == ["number", "2026-1 to Ada in en"])
  }
}
