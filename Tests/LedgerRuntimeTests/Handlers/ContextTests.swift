import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// The context that the app supplies: requested at each call, for the handler, and never stored.
@Suite(.timeLimit(.minutes(10)))
struct ContextTests {
  private struct Gone: Error, Equatable {}

  private struct Greeter: LedgerHandler {
    static let kind = "greeter"
    let name: String

    func run(in call: HandlerCall<String>) -> String { "\(call.context) \(name)" }
  }

  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  @Test func theContextIsMadeForTheHandler() async throws {
    let ledger = try await temporary.open { registry in
      try registry.register(Greeter.self, contextFor: { "hello from \($0.scopes[0]) to" })
    }
    let first = try await ledger.createHandler(Greeter.self, ["name": "a"], scopes: ["x"]).handler
    let second = try await ledger.createHandler(Greeter.self, ["name": "b"], scopes: ["y"]).handler
    #expect(try await first.call(as: Greeter.self) == "hello from x to a")
    #expect(try await second.call(as: Greeter.self) == "hello from y to b")
    await ledger.close()
  }

  @Test func aCallWithoutItsContextHasNotBegun() async throws {
    let isThere = Flag()
    let ledger = try await temporary.open { registry in
      try registry.register(Greeter.self) {
        guard isThere.isSet else { throw Gone() }
        return "hello"
      }
    }
    let handler = try await ledger.createHandler(Greeter.self, ["name": "a"]).handler
    await #expect(throws: Gone.self) { try await handler.call() }
    #expect(try await ledger.payloads(of: HandlerCallStarted.self).isEmpty)
    isThere.set()
    #expect(try await handler.call(as: Greeter.self) == "hello a")
    await ledger.close()
  }

  @Test func aHandlerOfAnotherTypeIsNotRun() async throws {
    let notes = Notes()
    let ledger = try await temporary.open { registry in
      try registry.register(Greeter.self) { "hello" }
      try registry.register(Scripted.self) {
        Scripted.Script { _, _ in
          notes.add("run")
          return 1
        }
      }
    }
    let handler = try await ledger.createHandler(Scripted.self).handler
    await expectError(.typeMismatch, naming: ["Scripted", "Greeter"]) {
      try await handler.call(as: Greeter.self)
    }
    #expect(notes.lines.isEmpty)
    #expect(try await handler.call(as: Scripted.self) == 1)
    await ledger.close()
  }

  @Test func withoutItsContextAHandlerIsWithdrawnAndItsCodeRunsLater() async throws {
    let isThere = Flag()
    let notes = Notes()
    var script = Scripted.Script()
    script.invalidation = { parameters, call in
      notes.add("\(parameters.name ?? "") \(parameters.why ?? "") \(call.attempt)")
    }
    let finished = script
    let ledger = try await temporary.open { registry in
      try registry.register(Scripted.self) {
        guard isThere.isSet else { throw Gone() }
        return finished
      }
    }
    let handler = try await ledger.createHandler(Scripted.self, ["name": "bound"]).handler
    await #expect(throws: Gone.self) { try await handler.invalidate(["why": "given"]) }
    #expect(try await handler.record?.status == .invalidated)
    let unfinished = try await ledger.unfinishedCalls()
    #expect(unfinished.map(\.purpose) == [.invalidation])
    #expect(unfinished.first?.release == .notRunnable)
    isThere.set()
    let results = try await ledger.retryUnfinishedCalls()
    #expect(results.count == 1 && notes.lines == ["bound given 2"])
    #expect(try await ledger.unfinishedCalls().isEmpty)
    await ledger.close()
  }
}
