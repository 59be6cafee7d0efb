import Foundation
import PromiseLedger

/// Brings work into every state, for a build that does not know work to keep, and dies:
/// `make-errands PATH PLACE`.
///
/// The place says where the work is when the process dies: `tail`, after the snapshot; `folded`, below it; or
/// `both`. For each promise that code settles, a line has its id, its label, and the outcome that `end-errands`
/// must print.
struct MakeErrands {
  private let path: String
  private let place: String

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    place = try arguments.next("place")
  }

  func run() async throws {
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = nil
    try configuration.handlers.register(Errand.self) { .making }
    try configuration.handlers.register(Meddle.self)
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    let runner = Task { try await LedgerRunner(ledger, runs: .named(Errand.kind)).run() }
    if place != "tail" {
      try await Maker(ledger: ledger, prefix: "old").make()
      _ = try await ledger.compact(.foldOnly)
    }
    if place != "folded" { try await Maker(ledger: ledger, prefix: "new").make() }
    Output.line("made")
    // The runner stays: its attempts are those of a process that was killed.
    withExtendedLifetime(runner) { _ = kill(getpid(), SIGKILL) }
  }
}

/// Makes work in every state once.
private struct Maker {
  let ledger: Ledger
  let prefix: String

  func make() async throws {
    try await makeChores()
    try await makeContinuations()
    try await makeErrands()
    try await makeOutcomes()
    try await makeLocked()
    // Those that attempts made: the promises of children, and what they wait for.
    for record in try await ledger.openWork() where record.label?.hasSuffix("-child") ?? false {
      guard let label = record.label, label.hasPrefix(prefix) else { continue }
      expect(record.id, label)
    }
    let meddle: DurablePromise<String> = try await chore("meddled")
    try await ledger.createHandler(
      Meddle.self, ["promise": meddle], key: HandlerKey("\(prefix)-meddle"), repetition: .repeating)
  }

  private func expect(_ id: PromiseID, _ label: String, _ outcome: String? = nil) {
    Output.line("W \(id) \(label) \(outcome ?? "fulfilled:\(label)")")
  }

  // MARK: Work that waits

  @discardableResult
  private func chore(
    _ name: String, at time: Timestamp? = nil, load: Bool = false,
    options: WorkOptions = WorkOptions(), lifetime: PromiseCreated.Lifetime = .untilSettled,
    deadline: Timestamp? = nil, outcome: String? = nil
  ) async throws -> DurablePromise<String> {
    let label = "\(prefix)-\(name)"
    let promise = try await ledger.start(
      Errand.Chore(name: label, load: load ? label.padded : nil), key: PromiseKey(label), at: time,
      options: options, lifetime: lifetime, label: label, deadline: deadline)
    expect(promise.id, label, outcome)
    return promise
  }

  private func makeChores() async throws {
    try await chore("queued")
    try await chore("loaded", load: true)
    try await chore("consumed-later", lifetime: .untilConsumed)
    let day = Timestamp.now + .seconds(86_400)
    let distant = day + .seconds(200 * 86_400)
    try await chore("timed", at: distant)
    try await chore("times-out", at: distant, deadline: day, outcome: "timedOut")
    try await chore(
      "given-up", at: distant, options: WorkOptions(givesUpAfter: day), outcome: "rejected")
    for number in 1...3 {
      let lane = try WorkLane("\(prefix)-lane", width: 1)
      try await chore(
        "lane-\(number)",
        options: WorkOptions(priority: Int8(number), lane: lane, attemptTimeout: .seconds(86_400)))
    }
    let parked = try await chore("parked")
    try await ledger.parkWork(parked.id)
    let resumed = try await chore("resumed", at: day)
    try await ledger.parkWork(resumed.id)
    try await ledger.retryWork(resumed.id)
    let amended = try await chore("amended", load: true)
    _ = try await ledger.engine.submit(
      AmendWork(
        id: amended.id,
        WorkAmended(
          trigger: .at(day),
          options: WorkOptions(priority: 7, lane: try WorkLane("\(prefix)-amended")))))
  }

  private func makeContinuations() async throws {
    let awaited = try await ledger.createPromise(
      key: PromiseKey("\(prefix)-awaited"), of: String.self, label: "\(prefix)-awaited")
    func follow(_ name: String, on settlement: ThenSettlement, _ outcome: String) async throws {
      let label = "\(prefix)-\(name)"
      let promise = try await awaited.then(
        Errand.Chore.self, ["name": label], on: settlement, key: PromiseKey(label), label: label)
      expect(promise.id, label, outcome)
    }
    try await follow("then", on: .fulfilled, "fulfilled:\(prefix)-then,older")
    try await follow("finally", on: .any, "fulfilled:\(prefix)-finally,older")
    let recovered = try await awaited.recover(
      with: Errand.Chore.self, ["name": "\(prefix)-recover"], label: "\(prefix)-recover")
    expect(recovered.id, "\(prefix)-recover", "fulfilled:older")
    // Consumed long before the code needs its outcome.
    let consumed = try await ledger.createPromise(of: String.self)
    try await consumed.fulfill("early".padded)
    _ = try await consumed.consume()
    let late = try await consumed.then(
      Errand.Chore.self, ["name": "\(prefix)-late"], label: "\(prefix)-late")
    expect(late.id, "\(prefix)-late", "fulfilled:\(prefix)-late,\("early".padded.prefix(80))")
  }

  // MARK: Work that was started

  @discardableResult
  private func errand(
    _ name: String, _ way: Errand.Way, options: WorkOptions = WorkOptions(),
    lifetime: PromiseCreated.Lifetime = .untilSettled, outcome: String? = nil,
    until isReached: (PromiseRecord) -> Bool
  ) async throws -> DurablePromise<String> {
    let label = "\(prefix)-\(name)"
    let promise = try await ledger.start(
      Errand(name: label, way: way), options: options, lifetime: lifetime, label: label)
    expect(promise.id, label, outcome)
    while true {
      let position = try await ledger.catchUp()
      if let record = try await ledger.record(of: promise.id), isReached(record) { return promise }
      try await ledger.engine.advance(past: position)
    }
  }

  private func makeErrands() async throws {
    let isWaiting: (PromiseRecord) -> Bool = { record in
      guard case .waiting? = record.work?.state else { return false }
      return record.work?.attemptCount == 1
    }
    let day = try WorkRetryPolicy(firstDelay: .seconds(86_400), longestDelay: .seconds(86_400))
    try await errand("retrying", .fail, options: WorkOptions(retryPolicy: day), until: isWaiting)
    try await errand("steps", .steps, until: isWaiting)
    try await errand("sleep", .sleep, until: isWaiting)
    try await errand("failing-step", .failingStep, until: isWaiting)
    try await errand("parent", .parent, until: isWaiting)
    let once = try WorkRetryPolicy(failureLimit: 1, givingUp: .park)
    try await errand("given-up-parked", .fail, options: WorkOptions(retryPolicy: once)) {
      $0.work?.state == .parked
    }
    let undone = try await errand("undone", .steps, outcome: "cancelled", until: isWaiting)
    try await ledger.cancelWork(undone.id, reason: "over")
    try await settled("undone")
  }

  /// Waits until work is settled.
  private func settled(_ name: String) async throws {
    while true {
      let position = try await ledger.catchUp()
      let labels = try await ledger.openWork().map(\.label)
      guard labels.contains("\(prefix)-\(name)") else { return }
      try await ledger.engine.advance(past: position)
    }
  }

  private func makeOutcomes() async throws {
    let isSettled: (PromiseRecord) -> Bool = { $0.status != .pending }
    try await errand("returned", .return, until: isSettled)
    try await errand("returned-much", .returnMuch, until: isSettled)
    try await errand("unconsumed", .returnMuch, lifetime: .untilConsumed, until: isSettled)
    let once = try WorkRetryPolicy(failureLimit: 1)
    try await errand(
      "rejected", .fail, options: WorkOptions(retryPolicy: once), outcome: "rejected",
      until: isSettled)
    let consumed = try await errand(
      "consumed", .return, lifetime: .untilConsumed, until: isSettled)
    _ = try await consumed.consume()
    let cancelled = try await chore("cancelled", outcome: "cancelled")
    try await ledger.cancelWork(cancelled.id, reason: "over")
  }

  /// The work whose process will die.
  private func makeLocked() async throws {
    let isRunning: (PromiseRecord) -> Bool = {
      if case .running? = $0.work?.state { true } else { false }
    }
    try await errand("hanging", .hang, until: isRunning)
    let lane = try WorkLane("\(prefix)-hanging")
    try await errand("hanging-lane", .hang, options: WorkOptions(lane: lane), until: isRunning)
    try await chore("behind-hanging", options: WorkOptions(lane: lane))
    let cancelled = try await errand("hanging-cancelled", .hang, until: isRunning)
    try await ledger.cancelWork(cancelled.id, reason: "over")
  }
}
