import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Objects that a caller has at hand, given beside the arguments.
@Suite(.timeLimit(.minutes(10)))
struct LiveObjectTests {
  private class Account: @unchecked Sendable {  // because it is immutable
    let name: String
    init(_ name: String) { self.name = name }
  }

  private final class SpecialAccount: Account, @unchecked Sendable {}

  private struct Holder: Sendable {
    let name: String
    let notes: Notes
  }

  /// Reports the account that it received.
  private struct Named: LedgerHandler {
    struct Invalidation: Codable, Sendable {}

    static let kind = "named"
    let other: DurableHandler?

    func run(in call: HandlerCall<Holder>) async throws -> String {
      if let other { try call.scheduleCall(of: other) }
      return call.context.name
    }

    static func invalidate(
      _ parameters: Invalidation, in call: HandlerCall<Holder>
    ) {
      call.context.notes.add("invalidated by \(call.context.name)")
    }
  }

  private let temporary: TemporaryLedger
  private let notes = Notes()
  private let ledger: Ledger

  init() async throws {
    let temporary = try TemporaryLedger()
    let notes = notes
    self.temporary = temporary
    ledger = try await temporary.open { registry in
      try registry.register(Nothing.self)
      try registry.register(Scripted.self) { Scripted.Script() }
      try registry.register(Named.self, with: Account.self) { account, handler in
        notes.add("context of \(handler.kind) with \(account?.name ?? "none")")
        return Holder(name: account?.name ?? "none", notes: notes)
      }
    }
  }

  @Test func theContextGetsTheObjectOfTheCall() async throws {
    let handler = try await ledger.createHandler(Named.self, repetition: .repeating).handler
    #expect(try await handler.call(as: Named.self, with: Account("a")) == "a")
    #expect(try await handler.call(with: SpecialAccount("b")).value() == "b")
    #expect(try await handler.call(as: Named.self) == "none")
    await ledger.close()
  }

  @Test func anObjectOfAnotherTypeIsRefusedBeforeTheCallBegins() async throws {
    let handler = try await ledger.createHandler(Named.self).handler
    let nothing = try await ledger.createHandler(Nothing.self).handler
    let scripted = try await ledger.createHandler(Scripted.self).handler
    await expectError(.typeMismatch, naming: ["\(handler.id)", "String", "Account"]) {
      try await handler.call(with: "account")
    }
    for other in [nothing, scripted] {
      await expectError(.typeMismatch, naming: ["\(other.id)", "Account", "none"]) {
        try await other.call(with: Account("a"))
      }
    }
    #expect(try await ledger.unfinishedCalls().isEmpty)
    #expect(try await handler.call(as: Named.self) == "none")
    await ledger.close()
  }

  @Test func callsThatFollowGoWithoutIt() async throws {
    let second = try await ledger.createHandler(Named.self).handler
    let first = try await ledger.createHandler(Named.self, ["other": second]).handler
    try await first.call(with: Account("a"))
    #expect(notes.lines == ["context of named with a", "context of named with none"])
    #expect(try await second.record?.status == .finished)
    await ledger.close()
  }

  @Test func invalidationsGetItToo() async throws {
    let handler = try await ledger.createHandler(Named.self).handler
    try await handler.invalidate(with: Account("a"))
    try await ledger.createHandler(Named.self, scopes: ["s"])
    // This one takes none.
    try await ledger.createHandler(Scripted.self, scopes: ["s"])
    let report = try await ledger.invalidateAll(scope: "s", with: Account("b"))
    #expect(report.invalidated.count == 2 && report.failures.isEmpty)
    #expect(notes.lines.filter { $0.hasPrefix("inv") } == ["invalidated by a", "invalidated by b"])
    await ledger.close()
  }

  @Test func anUnfitObjectKeepsAHandlerFromBeingWithdrawn() async throws {
    let handler = try await ledger.createHandler(Named.self).handler
    await expectError(.typeMismatch, naming: ["String", "Account"]) {
      try await handler.invalidate(with: "account")
    }
    #expect(try await handler.record?.status == .active)
    await ledger.close()
  }

  @Test func aCallThatIsRunAgainGetsTheObjectOfThatRun() async throws {
    let gates = [Gate(), Gate()]
    let notes = notes
    let ledger = try await temporary.open(as: .appExtension) { registry in
      try registry.register(Scripted.self, with: Account.self) { account, _ in
        Scripted.Script { _, call in
          notes.add(account?.name ?? "none")
          if call.attempt < 3 {
            await gates[call.attempt - 1].pass()
            try Task.checkCancellation()
          }
          return call.attempt
        }
      }
    }
    let handler = try await ledger.createHandler(Scripted.self).handler
    for (number, name) in ["first", "second"].enumerated() {
      let call = Task { try await handler.call(with: Account(name)) }
      await gates[number].arrival()
      call.cancel()
      gates[number].open()
      await #expect(throws: CancellationError.self, "\(name)") { try await call.value }
    }
    let unfinished = try #require(try await ledger.unfinishedCalls().first)
    #expect(try await ledger.retry(unfinished, with: Account("third")).attempt == 3)
    #expect(notes.lines == ["first", "second", "third"])
    await ledger.close()
    await self.ledger.close()
  }
}
