import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A call's knowledge of the calls that wait for it.
@Suite(.timeLimit(.minutes(10)))
struct CallChainTests {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  @Test(.timeLimit(.minutes(5))) func tasksThatCodeLeftBehindKeepNoEndedCalls() async throws {
    let done = Gate()
    let notes = Notes()
    let ledger = try await temporary.open { registry in
      try registry.register(Scripted.self) {
        Scripted.Script { _, call in
          notes.add("\(CallChain.current.count)")
          guard notes.lines.count < 50 else {
            await done.pass()
            return 1
          }
          Task {
            // Each begins when the call that left it behind has ended.
            while !call.effects.hasEnded { await Task.yield() }
            try await call.handler.call()
          }
          return 1
        }
      }
    }
    let handler = try await ledger.createHandler(Scripted.self, repetition: .repeating).handler
    try await handler.call()
    await done.arrival()
    done.open()
    #expect(notes.lines == Array(repeating: "1", count: 50))
    await ledger.close()
  }

  @Test func anEndedCallKeepsNoEffects() async throws {
    let ledger = try await temporary.open { registry in
      try registry.register(Nothing.self)
    }
    let id = try await ledger.createHandler(Nothing.self).handler.id
    let entity = try #require(try await ledger.engine.read { try $0.handler(id) })
    let open = OpenCall(
      id: .numbered(1), purpose: .call, firstStart: entity.created, arguments: .inline(.none),
      references: .none, bound: entity.bound, attempt: 1, newestStart: entity.created)
    let call = RunningCall(StartedCall(entity: entity, call: open), in: ledger)
    try call.effects.add(HandlerEffect(.createPromise(CreatePromise(.numbered(1)))), byteCount: 0)
    #expect(call.effects.end().count == 1)
    #expect(call.effects.end().isEmpty)
    await ledger.close()
  }

  @Test func tooDeepANestingIsNoRecursion() async throws {
    let ledger = try await temporary.open { registry in
      try registry.register(Scripted.self) {
        Scripted.Script { scripted, _ in try await scripted.other?.call(as: Scripted.self) ?? 0 }
      }
    }
    var handler = try await ledger.createHandler(Scripted.self).handler
    let innermost = handler
    for _ in 0..<CallChain.maximumDepth {
      handler = try await ledger.createHandler(Scripted.self, ["other": handler]).handler
    }
    await expectError(.handlerRecursion, naming: ["\(innermost.id)", "more than 64 deep"]) {
      try await handler.call()
    }
    #expect(try await innermost.record?.status == .active)
    #expect(try await innermost.call(as: Scripted.self) == 0)
    await ledger.close()
  }
}
