import PromiseLedger
import PromiseLedgerTesting

/// A ledger that was compacted, the same in every run except for the process id and the host:
/// events were deleted, records removed, and some events came after that.
///
/// All its stored texts contain control characters.
struct CompactedSampleLedger {
  private let temporary: TemporaryLedger
  /// A removed promise with a random id.
  let removedPromise: PromiseID
  /// The report of the compaction.
  let report: CompactionReport

  var path: String { temporary.path }

  static let rude = "a\u{1B}[2J\n\u{202E}b"

  /// Days pass in it, after which the compaction keeps two events, and no records of closed
  /// entities.
  static let policy: CompactionPolicy = {
    var policy = CompactionPolicy()
    policy.eventRetention = .seconds(3_600)
    policy.minimumEventCount = 2
    policy.recordRetention = .seconds(86_400)
    return policy
  }()

  init() async throws {
    temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    let clock = ManualLedgerClock()
    configuration.clock = clock
    configuration.idGenerator = SequentialIDGenerator(seed: 7)
    configuration.automaticCompaction = nil
    let app = try await temporary.open(as: .app, configuration: configuration)
    removedPromise = try await Self.endSome(app)
    clock.advance(by: .seconds(10 * 86_400))
    try await Self.leaveSomeOpen(app)
    clock.advance(by: .seconds(86_400))
    report = try await app.compact(Self.policy)
    try await Self.goOn(app.engine)
    await app.close()
  }

  static func id(_ number: UInt64) -> EntityID {
    EntityID(high: 0x019B_76DA_A800_7000, low: 0x8700_0000_0000_0A00 | number)
  }

  static func handler(_ number: UInt64) -> HandlerID { HandlerID(entityID: id(number)) }

  /// The entities that are old and closed when the ledger is compacted.
  private static func endSome(_ app: Ledger) async throws -> PromiseID {
    let keyed = try await app.createPromise(key: PromiseKey("gone"), of: Int.self)
    try await keyed.fulfill(1)
    try await keyed.consume { _ in }
    let random = try await app.createPromise(of: String.self)
    try await random.fulfill(String(repeating: "x", count: 5_000))
    try await random.consume { _ in }
    let answered = try HandlerKey("iq-gone").handlerID
    try await create(answered, "avatar", key: "iq-gone", in: app.engine)
    try await call(answered, 0x10, in: app.engine)
    _ = try await app.engine.submit(
      FinishCall(
        id: answered, call: CallID(entityID: id(0x10)), attempt: 1,
        result: .returned(typeTag: "void", bytes: [])))
    return random.id
  }

  /// The entities that are open when the ledger is compacted.
  private static func leaveSomeOpen(_ app: Ledger) async throws {
    let wanted = try await app.createPromise(
      key: PromiseKey("avatar/room@example.org"), of: Void.self
    )
    try await wanted.reject(StoredError(domain: rude, code: 403, message: rude))
    let large = try await app.createPromise(of: String.self)
    try await large.fulfill(String(repeating: "y", count: 9_000))
    let waiting = try HandlerKey("iq-1").handlerID
    try await create(waiting, rude, key: "iq-1", in: app.engine, isBound: true)
    try await call(waiting, 0x11, in: app.engine)
    try await create(handler(2), "presence", in: app.engine)
    _ = try await app.engine.submit(
      InvalidateHandler(
        id: handler(2), call: CallID(entityID: id(0x12)), reason: rude, arguments: .none,
        runsCode: false))
  }

  /// The events after the compaction.
  private static func goOn(_ engine: LedgerEngine) async throws {
    let first = CallID(entityID: id(0x11))
    _ = try await engine.submit(
      ReleaseCall(
        id: try HandlerKey("iq-1").handlerID, call: first, attempt: 1, reason: .notRunnable))
    try await create(handler(3), "presence", .repeating, in: engine)
    try await call(handler(3), 0x13, in: engine)
    let error = StoredError(domain: rude, code: 7, message: rude)
    _ = try await engine.submit(
      FinishCall(
        id: handler(3), call: CallID(entityID: id(0x13)), attempt: 1, result: .failed(error)))
  }

  private static func create(
    _ id: HandlerID, _ kind: String, _ repetition: HandlerRepetition = .oneShot,
    key: String? = nil, in engine: LedgerEngine, isBound: Bool = false
  ) async throws {
    var arguments = ArgumentSet.none
    if isBound {
      arguments = try ArgumentSet(
        checking: StoredArguments([
          StoredArgument(name: "room", typeTag: "string", payload: Array("\"\(rude)\"".utf8)),
          StoredArgument(name: "image", typeTag: "bytes", payload: [0, 0xFF]),
        ]),
        references: HandlerReferences(
          promises: [try PromiseKey("avatar/room@example.org").promiseID], handlers: [handler(2)]))
    }
    let description = HandlerDescription(
      kind: kind, repetition: repetition, key: key, label: isBound ? rude : nil,
      scopes: isBound ? [rude, "account-1"] : ["account-1"])
    _ = try await engine.submit(CreateHandler(id: id, description, arguments: arguments))
  }

  private static func call(
    _ handler: HandlerID, _ number: UInt64, in engine: LedgerEngine
  ) async throws {
    _ = try await engine.submit(
      StartCall(
        id: handler, call: CallID(entityID: id(number)), arguments: .none, expectedBinding: nil,
        runnableKinds: ["avatar", "presence", rude]))
  }
}
