import PromiseLedger
import PromiseLedgerTesting

/// Makes the ledger that `RecordedFixtureTests` keeps with its recording, so that each later version makes the same of
/// every event: what ``Fixture`` and ``WorkFixture`` do not have, with records of every kind below the events.
///
/// Like them, it is made once for each format version, and never again.
struct RecordedFixture {
  private let path: String
  private let clock = ManualLedgerClock()
  private let ids = SequentialIDGenerator()

  init(_ path: String) {
    self.path = path
  }

  func run() async throws {
    let ledger = try await Ledger.open(at: path, as: .app, configuration: try configuration())
    try await write("old", in: ledger)
    clock.advance(by: .seconds(7_200))
    try await write("recent", in: ledger)
    var policy = CompactionPolicy()
    policy.recordRetention = .seconds(3_600)
    policy.eventRetention = .zero
    policy.minimumEventCount = 0
    _ = try await ledger.compact(policy)
    clock.advance(by: .seconds(60))
    try await write("new", in: ledger)
    try await change("recent", in: ledger)
    await ledger.close()
  }

  private func configuration() throws -> LedgerConfiguration {
    var configuration = LedgerConfiguration.ofFixture(clock, ids)
    try configuration.handlers.register(Remind.self)
    try configuration.handlers.register(EndlessHandler.self)
    try configuration.handlers.register(Shopping.self)
    return configuration
  }

  private func write(_ name: String, in ledger: Ledger) async throws {
    try await writePromises(name, in: ledger)
    try await writeHandlers(name, in: ledger)
    try await writeWork(name, in: ledger)
    try await ledger.freeze()
    try await ledger.unfreeze()
  }

  private func writePromises(_ name: String, in ledger: Ledger) async throws {
    func make(_ state: String) async throws -> DurablePromise<String> {
      try await ledger.findOrCreatePromise(key: PromiseKey("\(name) \(state)"))
    }
    _ = try await make("pending")
    try await make("large").fulfill(String(repeating: "large ", count: 1_500))
    let consumed = try await make("consumed")
    try await consumed.fulfill("read")
    _ = try await consumed.consume()
    try await make("abandoned").abandon(reason: "nobody waits")
    let late: DurablePromise<String> = try await ledger.createPromise(
      label: "\(name), timed out", deadline: clock.now() + .seconds(1))
    clock.advance(by: .seconds(2))
    _ = try await late.outcome
  }

  /// Handlers whose bound arguments change, and whose invalidation code runs.
  private func writeHandlers(_ name: String, in ledger: Ledger) async throws {
    func make(_ state: String) async throws -> DurableHandler {
      try await ledger.createHandler(
        Remind.self, ["text": "at first"], key: HandlerKey("\(name) \(state)"), scopes: [name],
        repetition: .repeating, label: "\(name), \(state)"
      ).handler
    }
    let rebound = try await make("rebound")
    try await rebound.rebind(["text": "of \(name)"])
    _ = try await rebound.call()
    let large = try await make("large")
    try await large.rebind(["text": String(repeating: "large ", count: 1_500)])
    let withdrawn = try await make("withdrawn")
    _ = try await withdrawn.call()
    try await withdrawn.invalidate(["why": "the meeting is over"], reason: "over")
    try await EndlessHandler.callWithoutEnd(
      try await ledger.createHandler(EndlessHandler.self, scopes: [name], repetition: .repeating)
        .handler,
      in: ledger)
  }

  private func writeWork(_ name: String, in ledger: Ledger) async throws {
    let gate = try await ledger.findOrCreatePromise(key: PromiseKey("gate"), of: String.self)
    for state in ["waiting", "cancelled"] {
      _ = try await ledger.start(
        Shopping.self, ["name": "\(name) \(state)", "gate": gate],
        key: PromiseKey("\(name) \(state)")
      )
    }
    _ = try await LedgerRunner(ledger).drain(until: clock.now() + .seconds(1))
    _ = try await ledger.cancelWork(PromiseKey("\(name) cancelled").promiseID, reason: "no need")
    _ = try await ledger.all([gate, gate], label: "\(name), all")
  }

  /// Changes what is below the events.
  private func change(_ name: String, in ledger: Ledger) async throws {
    let pending: DurablePromise<String> = try await ledger.findOrCreatePromise(
      key: PromiseKey("\(name) pending"))
    try await pending.fulfill("changed", idempotencyKey: IdempotencyKey("\(name) 1"))
    try await ledger.handler(forKey: HandlerKey("\(name) rebound")).rebind(["text": "changed"])
    try await ledger.handler(forKey: HandlerKey("\(name) large"))
      .invalidate(["why": "it is too large"])
    _ = try await ledger.parkWork(PromiseKey("\(name) waiting").promiseID)
  }
}

/// A handler with bound arguments and invalidation code.
private struct Remind: LedgerHandler {
  struct Invalidation: Codable, Sendable {
    let text: String
    let why: String
  }

  static let kind = "remind"
  let text: String

  func run(in call: HandlerCall<Void>) -> String { text }

  static func invalidate(_ parameters: Invalidation, in call: HandlerCall<Void>) {}
}

/// Work with a step and a wait.
private struct Shopping: LedgerWork {
  static let kind = "shopping"
  let name: String
  let gate: DurablePromise<String>

  func run(in call: WorkCall<Void>) async throws -> String {
    let name = name
    let bought = try await call.step("buy") { _ in "bought by \(name)" }
    return "\(bought), \(try await call.value(of: gate))"
  }
}
