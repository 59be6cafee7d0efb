import PromiseLedger
import PromiseLedgerTesting

/// Makes the ledger that `FormatFixtureTests` keeps, so that each later version still reads it:
/// everything that a ledger can hold, below the snapshot and after it.
///
/// It is made once for each format version, and never again: the fixture is the promise.
struct Fixture {
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
    // Old records are removed with their events; recent ones are folded, and their events stay.
    var policy = CompactionPolicy()
    policy.recordRetention = .seconds(3_600)
    policy.eventRetention = .seconds(3_600)
    policy.minimumEventCount = 0
    _ = try await ledger.compact(policy)
    clock.advance(by: .seconds(60))
    try await write("new", in: ledger)
    try await ledger.freeze()
    try await ledger.unfreeze()
    await ledger.close()
  }

  private func configuration() throws -> LedgerConfiguration {
    var configuration = LedgerConfiguration.ofFixture(clock, ids)
    try configuration.handlers.register(Keep.self)
    try configuration.handlers.register(EndlessHandler.self)
    return configuration
  }

  private func write(_ name: String, in ledger: Ledger) async throws {
    try await writePromises(name, in: ledger)
    try await writeHandlers(name, in: ledger)
    let other = try await Ledger.open(
      at: path, as: .appExtension, configuration: try configuration())
    _ = try await other.createPromise(of: Bool.self, label: "\(name), of an extension")
    await other.close()
  }

  private func writePromises(_ name: String, in ledger: Ledger) async throws {
    func make(_ state: String) async throws -> DurablePromise<String> {
      try await ledger.createPromise(label: "\(name), \(state)", tags: [name, state])
    }
    _ = try await make("pending")
    let keyed: DurablePromise<String> = try await ledger.findOrCreatePromise(
      key: PromiseKey("\(name) key"))
    try await keyed.fulfill("by its key")
    _ = try await keyed.consume()
    let resolved = try await make("resolved")
    try await resolved.fulfill("kept", idempotencyKey: IdempotencyKey("\(name) 1"))
    let large = try await make("large")
    try await large.fulfill(String(repeating: "large ", count: 1_500))
    let rejected = try await make("rejected")
    try await rejected.reject(
      StoredError(domain: "server", code: 403, message: "Only owners may change this."))
    let consumed = try await make("consumed")
    try await consumed.fulfill("read")
    _ = try await consumed.consume()
    try await make("abandoned").abandon(reason: "nobody waits")
    try await make("cancelled").cancel()
    let late: DurablePromise<String> = try await ledger.createPromise(
      label: "\(name), timed out", deadline: clock.now() + .seconds(1))
    clock.advance(by: .seconds(2))
    _ = try await late.outcome
    let _: DurablePromise<String> = try await ledger.createPromise(
      label: "\(name), with a deadline", deadline: clock.now() + .seconds(1_000_000_000))
  }

  private func writeHandlers(_ name: String, in ledger: Ledger) async throws {
    let promise = try await ledger.createPromise(of: String.self, label: "\(name), bound")
    func make(
      _ state: String, _ repetition: HandlerRepetition = .oneShot
    ) async throws -> DurableHandler {
      try await ledger.createHandler(
        Keep.self, ["promise": promise], key: HandlerKey("\(name) \(state)"), scopes: [name],
        repetition: repetition, label: "\(name), \(state)"
      ).handler
    }
    _ = try await make("active")
    try await make("finished").call()
    try await make("called", .repeating).call()
    try await make("invalidated").invalidate(reason: "over")
    try await EndlessHandler.callWithoutEnd(
      try await ledger.createHandler(EndlessHandler.self, scopes: [name], repetition: .repeating)
        .handler,
      in: ledger)
  }
}

/// A handler that only keeps a promise.
private struct Keep: LedgerHandler {
  static let kind = "keep"
  let promise: DurablePromise<String>

  func run(in call: HandlerCall<Void>) -> Int { 1 }
}
