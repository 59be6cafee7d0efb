import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A session reports the handlers that it cannot run. Damage or a race hides nothing else.
@Suite(.timeLimit(.minutes(10)))
struct PreflightTests {
  private struct Typed: LedgerHandler {
    static let kind = "greet"
    let name: String
    func run(in call: HandlerCall<Void>) -> String { name }
  }

  /// The kind `scripted` in a later version.
  private struct WithoutInvalidation: LedgerHandler {
    static let kind = "scripted"
    let name: Int?
    func run(in call: HandlerCall<Void>) {}
  }

  private func open(_ path: String) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(Typed.self)
    return try await Ledger.open(at: path, as: .app, configuration: configuration)
  }

  @Test func aHandlerWithEventsOfANewerBuildIsAProblem() async throws {
    var crafted = try CraftedLedger()
    try crafted.commit([.of(LedgerCreated(formatVersion: 0), on: .numbered(77))])
    let ids = (1...2).map(HandlerID.numbered)
    try crafted.commit(
      ids.map {
        .of(HandlerCreated(handlerKind: "greet", arguments: StoredArguments.none), on: $0.entityID)
      })
    try crafted.commit([.raw(.handlerRebound, version: 9, on: ids[0].entityID)])
    let ledger = try await open(crafted.path)
    let problems = try await ledger.preflight()
    #expect(problems.map(\.handler) == [ids[0]])
    #expect(problems.map(\.error.code) == [.unsupportedEvent])
    await ledger.close()
  }

  @Test func aDamagedHandlerHidesNoOther() async throws {
    var crafted = try CraftedLedger()
    try crafted.commit([.of(LedgerCreated(formatVersion: 0), on: .numbered(77))])
    let ids = (1...2).map(HandlerID.numbered)
    // The data beside the event is not a list of arguments.
    var damaged = NewEvent.of(
      HandlerCreated(handlerKind: "greet", arguments: nil), on: ids[0].entityID)
    damaged.attachment = [UInt8](repeating: 0xFF, count: 9_000)
    let orphan = NewEvent.of(
      HandlerCreated(handlerKind: "unknown", arguments: StoredArguments.none), on: ids[1].entityID)
    try crafted.commit([damaged, orphan])
    let ledger = try await open(crafted.path)
    let problems = try await ledger.preflight()
    #expect(problems.map(\.handler) == ids)
    #expect(problems.map(\.error.code) == [.corrupt, .handlerUnregistered])
    await ledger.close()
  }

  @Test func anUnfinishedCallOfANewerTypeIsAProblem() async throws {
    let temporary = try TemporaryLedger()
    struct Gone: Error {}
    let isThere = Flag()
    var script = Scripted.Script()
    let gate = Gate()
    script.code = { _, _ in
      await gate.pass()
      try Task.checkCancellation()
      return 1
    }
    let finished = script
    let ledger = try await temporary.open { registry in
      try registry.register(Scripted.self) {
        guard !isThere.isSet else { throw Gone() }
        return finished
      }
    }
    let called = try await ledger.createHandler(Scripted.self).handler
    let call = Task { try await called.call(["name": "text"]) }
    await gate.arrival()
    call.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await call.value }
    isThere.set()
    let withdrawn = try await ledger.createHandler(Scripted.self).handler
    await #expect(throws: Gone.self) { try await withdrawn.invalidate() }
    await ledger.close()

    let later = try await temporary.open { try $0.register(WithoutInvalidation.self) }
    let unfinished = try await later.unfinishedCalls()
    let problems = try await later.preflight()
    #expect(problems.map(\.handler) == [called.id, withdrawn.id])
    #expect(problems.map(\.call) == unfinished.map(\.id))
    #expect(problems.map(\.error.code) == [.argumentMismatch, .handlerUnregistered])
    #expect(problems.last?.error.message.contains("no invalidation code") == true)
    await later.close()
  }

  @Test func argumentsThatWereReboundAndCompactedAreNoDamage() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await open(temporary.path)
    func name(_ letter: String) -> HandlerArguments {
      ["name": String(repeating: letter, count: 9_000)]
    }
    let handler = try await ledger.createHandler(Typed.self, name("a")).handler
    let old = try #require(try await ledger.engine.read { try $0.handler(handler.id) })
    try await handler.rebind(name("b"))
    try await ledger.compact(CompactionSample.events)
    // As a listing finds it that looked the handler up before.
    await expectError(.eventsDeleted) { try await ledger.records.load(old.bound.arguments) }
    let record = try await ledger.records.record(of: old)
    #expect(record.bound["name"]?.payload.count == 9_002)
    #expect(record == (try await handler.record))
    await ledger.close()
  }
}
