import PromiseLedger
import PromiseLedgerTesting

/// Makes the ledger with work, steps and joints that `WorkFixtureTests` keeps, so that each later version still runs
/// that work: in every state, below the snapshot and after it.
///
/// Like that of ``Fixture``, it is made once for each format version, and never again.
struct WorkFixture {
  private let path: String
  private let clock = ManualLedgerClock()
  private let ids = SequentialIDGenerator()

  init(_ path: String) {
    self.path = path
  }

  func run() async throws {
    let ledger = try await Ledger.open(at: path, as: .app, configuration: try configuration())
    let gate = try await ledger.findOrCreatePromise(key: PromiseKey("gate"), of: String.self)
    try await write("old", gate, in: ledger)
    var policy = CompactionPolicy()
    policy.minimumEventCount = 0
    _ = try await ledger.compact(policy)
    clock.advance(by: .seconds(3))
    try await write("new", gate, in: ledger)
    await ledger.close()
  }

  private func configuration() throws -> LedgerConfiguration {
    var configuration = LedgerConfiguration.ofFixture(clock, ids)
    try configuration.handlers.register(Visit.self)
    try configuration.handlers.register(Stumble.self)
    try configuration.handlers.register(Rest.self)
    return configuration
  }

  private func write(
    _ name: String, _ gate: DurablePromise<String>, in ledger: Ledger
  ) async throws {
    let known = try await ledger.start(Rest(name: "\(name) known"))
    try await run(.named("rest"), in: ledger)
    try await writeVisits(name, gate, known, in: ledger)
    try await writeFailures(name, in: ledger)
    try await run(.named("visit", "stumble"), in: ledger)
    // Only now is it due, and of a kind that does not run.
    try await writeRests(name, gate, in: ledger)
    _ = try await ledger.all([gate, gate], label: "\(name), all")
    let failed: DurablePromise<String> = try await ledger.createPromise(label: "\(name), failed")
    _ = try await ledger.any([failed, known], label: "\(name), any")
    _ = try await ledger.race([failed, gate], label: "\(name), race")
    try await failed.reject(StoredError(domain: "server", code: 5, message: "It failed."))
    for state in ["cancelled", "asked"] {
      let id = try PromiseKey("\(name) \(state)").promiseID
      _ = try await ledger.cancelWork(id, reason: "no need")
    }
  }

  /// Work that waits in the middle of its code, in a lane and outside of one.
  private func writeVisits(
    _ name: String, _ gate: DurablePromise<String>, _ known: DurablePromise<String>,
    in ledger: Ledger
  ) async throws {
    for kind in ["plain", "laned", "asked"] {
      let lane = kind == "laned" ? try WorkLane("visits", width: 2) : nil
      _ = try await ledger.start(
        Visit.self,
        ["name": "\(name) \(kind)", "gate": gate, "known": known.id.description],
        key: PromiseKey("\(name) \(kind)"), options: WorkOptions(priority: 3, lane: lane))
    }
  }

  private func writeFailures(_ name: String, in ledger: Ledger) async throws {
    let parking = try WorkRetryPolicy(failureLimit: 1, givingUp: .park)
    _ = try await ledger.start(
      Stumble(), key: PromiseKey("\(name) parked"), options: WorkOptions(retryPolicy: parking))
    _ = try await ledger.start(
      Stumble(), key: PromiseKey("\(name) retrying"),
      options: WorkOptions(attemptTimeout: .seconds(60), givesUpAfter: clock.now() + .seconds(90)))
  }

  /// Work that did not start.
  private func writeRests(
    _ name: String, _ gate: DurablePromise<String>, in ledger: Ledger
  ) async throws {
    func start(_ state: String, at time: Timestamp? = nil, _ options: WorkOptions = WorkOptions())
      async throws -> DurablePromise<String>
    {
      try await ledger.start(
        Rest(name: "\(name) \(state)"), key: PromiseKey("\(name) \(state)"), at: time,
        options: options, label: state)
    }
    let lane = WorkOptions(lane: try WorkLane("rests"))
    _ = try await start("due")
    _ = try await start("later", at: clock.now() + .seconds(3_600))
    for number in 1...2 { _ = try await start("laned \(number)", lane) }
    _ = try await start("cancelled")
    let resumed = try await start("resumed")
    _ = try await ledger.parkWork(resumed.id)
    _ = try await ledger.retryWork(resumed.id)
    _ = try await ledger.parkWork(try await start("parked by hand").id)
    _ = try await gate.then(
      Rest.self, ["name": "\(name) behind the gate"], key: PromiseKey("\(name) behind"))
    _ = try await ledger.start(
      Rest(name: String(repeating: "large ", count: 1_500)), key: PromiseKey("\(name) large"))
  }

  private func run(_ kinds: LedgerRunner.Kinds, in ledger: Ledger) async throws {
    _ = try await LedgerRunner(ledger, runs: kinds).drain(until: clock.now() + .seconds(1))
  }
}

/// Work with steps, a pause, a child and waits.
private struct Visit: LedgerWork {
  static let kind = "visit"
  let name: String
  let gate: DurablePromise<String>
  let known: String

  func run(in call: WorkCall<Void>) async throws -> String {
    let name = name
    let charge = try await call.step("charge") { _ in "charged \(name)" }
    _ = try? await call.step("ship", key: "parcel", retrying: WorkRetryPolicy(failureLimit: 1)) {
      _ -> Int in throw StoredError(domain: "server", code: 6, message: "It cannot be shipped.")
    }
    _ = try await call.step("large") { _ in String(repeating: "large ", count: 1_500) }
    try await call.sleep(for: .zero)
    let ledger = call.ledger
    guard let id = PromiseID(known) else { throw CancellationError() }
    _ = try await call.value(of: ledger.promise(id: id, of: String.self))
    _ = try await call.start(Rest.self, ["name": "child of \(name)"], name: "child")
    let answer = try await call.promise("answer", of: String.self)
    let said = try await call.outcome(of: answer, until: call.startedAt + .seconds(86_400))
    return "\(charge), \(said == nil ? "no answer" : "answered"), \(try await call.value(of: gate))"
  }
}

/// Work that fails.
private struct Stumble: LedgerWork {
  static let kind = "stumble"

  func run(in call: WorkCall<Void>) async throws -> Int {
    throw StoredError(domain: "server", code: 7, message: "It stumbled.")
  }
}

/// Work that has nothing to do.
private struct Rest: LedgerWork {
  static let kind = "rest"
  let name: String

  func run(in call: WorkCall<Void>) async throws -> String { name }
}
