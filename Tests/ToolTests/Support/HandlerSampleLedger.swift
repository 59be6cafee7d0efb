import PromiseLedger
import PromiseLedgerTesting

/// A ledger with every kind of event about handlers, the same in every run but for the process id
/// and the host of its session.
struct HandlerSampleLedger {
  private let temporary: TemporaryLedger

  var path: String { temporary.path }

  init() async throws {
    temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.clock = ManualLedgerClock()
    configuration.idGenerator = SequentialIDGenerator(seed: 7)
    let ledger = try await temporary.open(as: .app, configuration: configuration)
    try await Self.callOneShot(ledger.engine)
    try await Self.withdraw(ledger.engine)
    await ledger.close()
  }

  private static func id(_ number: UInt64) -> EntityID {
    EntityID(high: 0x019B_76DA_A800_7000, low: 0x8700_0000_0000_0A00 | number)
  }

  private static func arguments(_ arguments: [StoredArgument]) throws -> ArgumentSet {
    try ArgumentSet(checking: StoredArguments(arguments), references: .none)
  }

  /// A handler that is bound, called, released, called again, and has effects.
  private static func callOneShot(_ engine: LedgerEngine) async throws {
    let handler = HandlerID(entityID: id(1))
    let promise = PromiseID(entityID: id(2))
    let call = CallID(entityID: id(3))
    let room = StoredArgument(name: "room", typeTag: "string", payload: Array("\"kitchen\"".utf8))
    let bound = try ArgumentSet(
      checking: StoredArguments([
        room, StoredArgument(name: "image", typeTag: "bytes", payload: [0, 0xFF]),
      ]),
      references: HandlerReferences(promises: [promise], handlers: [HandlerID(entityID: id(9))]))
    _ = try await engine.submit(
      CreateHandler(
        id: handler,
        HandlerDescription(
          kind: "avatar\u{1B}", key: "iq-1", label: "Set the \"avatar\"", scopes: ["account-1"]),
        arguments: bound))
    _ = try await engine.submit(
      RebindHandler(
        id: handler, mode: .merged, arguments: try arguments([room, .erasing("image")]),
        expectedBinding: nil))
    _ = try await engine.submit(
      StartCall(
        id: handler, call: call,
        arguments: try arguments([
          StoredArgument(
            name: "big", typeTag: "bytes", payload: [UInt8](repeating: 1, count: 5_000))
        ]), expectedBinding: nil, runnableKinds: ["avatar\u{1B}"]))
    _ = try await engine.submit(
      ReleaseCall(id: handler, call: call, attempt: 1, reason: .notRunnable))
    _ = try await engine.submit(RetryCall(id: handler, call: call, expectedAttempt: 1))
    let resolve = ResolvePromise(
      id: promise, outcome: .fulfilled, content: [], typeTag: nil, idempotencyKey: nil,
      isStrict: true)
    _ = try await engine.submit(
      FinishCall(
        id: handler, call: call, attempt: 2,
        result: .returned(typeTag: "int", bytes: Array("42".utf8)),
        effects: RequestedEffects([HandlerEffect(.resolvePromise(resolve))])))
  }

  /// Handlers that are withdrawn, one with invalidation code that fails.
  private static func withdraw(_ engine: LedgerEngine) async throws {
    let call = CallID(entityID: id(5))
    for number in [6, 7] as [UInt64] {
      let handler = HandlerID(entityID: id(number))
      _ = try await engine.submit(
        CreateHandler(
          id: handler, HandlerDescription(kind: "k", repetition: .repeating),
          arguments: .none))
      _ = try await engine.submit(
        InvalidateHandler(
          id: handler, call: call, reason: number == 6 ? "left\nthe room" : "", arguments: .none,
          runsCode: number == 6))
    }
    let error = StoredError(domain: "net", code: 7, message: "offline")
    _ = try await engine.submit(
      FinishCall(id: HandlerID(entityID: id(6)), call: call, attempt: 1, result: .failed(error)))
  }
}
