import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// The fate of handlers when the app is updated, or an older build meets newer ones.
@Suite(.timeLimit(.minutes(10)))
struct UpdateTests {
  /// The first version of the kind.
  private struct First: LedgerHandler {
    static let kind = "send-message"
    let to: String
    let count: Int
    func run(in call: HandlerCall<Void>) -> String { "\(to) \(count)" }
  }

  private struct RenamedKind: LedgerHandler {
    static let kind = "deliver-message"
    static let formerKinds = ["post-message", "send-message"]
    let to: String
    let count: Int
    func run(in call: HandlerCall<Void>) -> String { "renamed \(to) \(count)" }
  }

  private struct WithOptional: LedgerHandler {
    static let kind = "send-message"
    let to: String
    let count: Int
    let urgent: Bool?
    func run(in call: HandlerCall<Void>) -> String {
      "\(to) \(count) \(urgent.map { "\($0)" } ?? "-")"
    }
  }

  private struct WithMandatory: LedgerHandler {
    static let kind = "send-message"
    let to: String
    let count: Int
    let subject: String
    func run(in call: HandlerCall<Void>) -> String { "\(to) \(count) \(subject)" }
  }

  private struct WithoutCount: LedgerHandler {
    static let kind = "send-message"
    let to: String
    func run(in call: HandlerCall<Void>) -> String { to }
  }

  private struct Retyped: LedgerHandler {
    static let kind = "send-message"
    let to: String
    let count: String
    func run(in call: HandlerCall<Void>) -> String { "\(to) \(count)" }
  }

  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  /// Leaves a handler in the ledger.
  private func leave<Handler: LedgerHandler>(
    _ type: Handler.Type, _ arguments: HandlerArguments
  ) async throws -> HandlerID where Handler.Context == Void {
    let ledger = try await temporary.open { try $0.register(type) }
    let id = try await ledger.createHandler(type, arguments).handler.id
    await ledger.close()
    return id
  }

  @Test func aRenamedKindRunsUnderItsFormerName() async throws {
    let id = try await leave(First.self, ["to": "juliet", "count": 2])
    let ledger = try await temporary.open { try $0.register(RenamedKind.self) }
    #expect(try await ledger.preflight().isEmpty)
    #expect(try await ledger.orphanedHandlers().isEmpty)
    #expect(try await ledger.handlers(ofKind: "deliver-message").map(\.id) == [id])
    #expect(try await ledger.handler(id: id).call(as: RenamedKind.self) == "renamed juliet 2")
    // New ones have the new name.
    let new = try await ledger.createHandler(RenamedKind.self).handler
    #expect(try await new.record?.kind == "deliver-message")
    await ledger.close()
  }

  @Test func aRenamedKindWithoutAnAliasIsAnOrphanUntilItHasOne() async throws {
    let id = try await leave(First.self, ["to": "juliet", "count": 2])
    let without = try await temporary.open { try $0.register(Nothing.self) }
    #expect(try await without.orphanedHandlers().map(\.id) == [id])
    let problems = try await without.preflight()
    #expect(problems.map(\.handler) == [id])
    #expect(problems.map(\.error.code) == [.handlerUnregistered])
    await expectError(.handlerUnregistered, naming: ["\(id)", "send-message"]) {
      try await without.handler(id: id).call()
    }
    await without.close()
    let with = try await temporary.open { try $0.register(RenamedKind.self) }
    #expect(try await with.orphanedHandlers().isEmpty)
    #expect(try await with.handler(id: id).call(as: RenamedKind.self) == "renamed juliet 2")
    await with.close()
  }

  @Test func anAddedOptionalArgumentIsAbsent() async throws {
    let id = try await leave(First.self, ["to": "juliet", "count": 2])
    let ledger = try await temporary.open { try $0.register(WithOptional.self) }
    #expect(try await ledger.preflight().isEmpty)
    #expect(try await ledger.handler(id: id).call(as: WithOptional.self) == "juliet 2 -")
    await ledger.close()
  }

  @Test func anAddedMandatoryArgumentIsMissingUntilItIsGivenOrBound() async throws {
    let ids = [
      try await leave(First.self, ["to": "juliet", "count": 2]),
      try await leave(First.self, ["to": "romeo", "count": 3]),
    ]
    let ledger = try await temporary.open { try $0.register(WithMandatory.self) }
    // The call may give it, so this is no problem yet.
    #expect(try await ledger.preflight().isEmpty)
    await expectError(.argumentMissing, naming: ["subject (string)", "\(ids[0])"]) {
      try await ledger.handler(id: ids[0]).call()
    }
    let given = try await ledger.handler(id: ids[0]).call(
      as: WithMandatory.self, ["subject": "s"])
    #expect(given == "juliet 2 s")
    try await ledger.handler(id: ids[1]).merge(["subject": "bound"])
    #expect(try await ledger.handler(id: ids[1]).call(as: WithMandatory.self) == "romeo 3 bound")
    await ledger.close()
  }

  @Test func aRemovedArgumentIsIgnored() async throws {
    let id = try await leave(First.self, ["to": "juliet", "count": 2])
    let ledger = try await temporary.open { try $0.register(WithoutCount.self) }
    #expect(try await ledger.preflight().isEmpty)
    #expect(try await ledger.handler(id: id).call(as: WithoutCount.self) == "juliet")
    await ledger.close()
  }

  @Test func aRetypedArgumentIsAMismatchUntilItIsBoundAnew() async throws {
    let id = try await leave(First.self, ["to": "juliet", "count": 2])
    let ledger = try await temporary.open { try $0.register(Retyped.self) }
    let problems = try await ledger.preflight()
    #expect(problems.map(\.error.code) == [.argumentMismatch])
    await expectError(.argumentMismatch, naming: ["count", "string", "not int"]) {
      try await ledger.handler(id: id).call()
    }
    try await ledger.handler(id: id).merge(["count": "two"])
    #expect(try await ledger.preflight().isEmpty)
    #expect(try await ledger.handler(id: id).call(as: Retyped.self) == "juliet two")
    await ledger.close()
  }

  @Test func preflightSeesAMismatchBehindAMissingArgument() async throws {
    // The mandatory `to` comes first, and is not bound.
    let id = try await leave(Retyped.self, ["count": "two"])
    let ledger = try await temporary.open { try $0.register(First.self) }
    let problems = try await ledger.preflight()
    #expect(problems.map(\.handler) == [id])
    #expect(problems.map(\.error.code) == [.argumentMismatch])
    await ledger.close()
  }

  // MARK: An older build

  @Test func anOlderBuildIgnoresUnknownNames() async throws {
    let id = try await leave(WithOptional.self, ["to": "juliet", "count": 2, "urgent": true])
    let older = try await temporary.open { try $0.register(First.self) }
    #expect(try await older.preflight().isEmpty)
    let handler = older.handler(id: id)
    // Its merge leaves the other arguments unchanged.
    try await handler.merge(["count": 5])
    #expect(try await handler.record?.bound["urgent"]?.typeTag == "bool")
    await older.close()
    let newer = try await temporary.open { try $0.register(WithOptional.self) }
    #expect(try await newer.handler(id: id).call(as: WithOptional.self) == "juliet 5 true")
    await newer.close()
  }

  @Test func anOlderBuildRefusesARetypedArgument() async throws {
    let id = try await leave(Retyped.self, ["to": "juliet", "count": "two"])
    let older = try await temporary.open { try $0.register(First.self) }
    #expect(try await older.preflight().map(\.error.code) == [.argumentMismatch])
    await expectError(.argumentMismatch, naming: ["count", "int", "not string"]) {
      try await older.handler(id: id).call()
    }
    await older.close()
    let newer = try await temporary.open { try $0.register(Retyped.self) }
    #expect(try await newer.handler(id: id).call(as: Retyped.self) == "juliet two")
    await newer.close()
  }

  @Test func anOlderBuildDoesNotKnowTheNewKind() async throws {
    let id = try await leave(RenamedKind.self, ["to": "juliet", "count": 2])
    let older = try await temporary.open { try $0.register(First.self) }
    #expect(try await older.orphanedHandlers().map(\.id) == [id])
    await expectError(.handlerUnregistered, naming: ["deliver-message"]) {
      try await older.handler(id: id).call()
    }
    await older.close()
  }
}
