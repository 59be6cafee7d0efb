import PromiseLedger

/// Runs work until it is killed, or until all work has ended: `toil PATH start COUNT` starts it, and
/// `toil PATH run` runs it.
struct Toil {
  private let path: String
  private let step: String
  private var arguments: Arguments

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    step = try arguments.next("step")
    self.arguments = arguments
  }

  func run() async throws {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(Chore.self)
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    var arguments = arguments
    switch step {
    case "start": try await start(arguments.number("count"), in: ledger)
    case "run": try await runAll(in: ledger)
    default: throw UsageError(what: "no step \(step)")
    }
    await ledger.close()
    Output.line("done")
  }

  /// Starts chores in lanes of every width from 1 to 3, every third behind another one.
  private func start(_ count: Int, in ledger: Ledger) async throws {
    var last: DurablePromise<Int>?
    for number in 0..<count {
      let lane = try WorkLane("lane \(number % 6)", width: 1 + number % 3)
      let options = WorkOptions(
        lane: number % 2 == 0 ? lane : nil,
        retryPolicy: try WorkRetryPolicy(
          failureLimit: nil, firstDelay: .milliseconds(1), longestDelay: .milliseconds(5)),
        attemptTimeout: number % 2 == 1 ? .milliseconds(100) : nil)
      let key = try PromiseKey("chore/\(number)")
      if number % 3 == 2, let last {
        _ = try await last.then(Chore.self, ["number": number], key: key, options: options)
      } else {
        last = try await ledger.start(Chore(number: number), key: key, options: options)
      }
    }
  }

  private func runAll(in ledger: Ledger) async throws {
    let limits = RunnerLimits(total: 16, gracePeriod: .zero)
    let runner = Task { try await LedgerRunner(ledger, limits: limits).run() }
    Output.line("runs")
    let position = try await ledger.catchUp()
    let work = try await ledger.openWork()
    for record in work where record.work?.state == .parked { try await ledger.retryWork(record.id) }
    var open = Set(work.map(\.id))
    // Nothing may come any more if all chores have ended.
    guard !open.isEmpty else { return try await end(runner) }
    for try await event in ledger.events(after: position) {
      // The parent kills it after some events.
      report("\(event.kind)")
      let id = PromiseID(entityID: event.subject)
      if event.kind == .promiseResolved { open.remove(id) }
      if event.kind == .workReleased { try await retryIfParked(id, in: ledger) }
      if open.isEmpty { break }
    }
    try await end(runner)
  }

  private func end(_ runner: Task<Void, any Error>) async throws {
    runner.cancel()
    try await runner.value
  }

  /// Makes a chore due again that is parked because its processes were killed three times.
  private func retryIfParked(_ id: PromiseID, in ledger: Ledger) async throws {
    guard try await ledger.record(of: id)?.work?.state == .parked else { return }
    try await ledger.retryWork(id)
  }
}

/// Makes a promise in each of three steps, which must be there once, and sometimes fails, or waits for another chore,
/// in between.
private struct Chore: LedgerWork {
  static let kind = "chore"
  var number: Int
  /// Of the chore before it.
  var value: Int?

  func run(in call: WorkCall<Void>) async throws -> Int {
    try await make("first", in: call)
    if number % 7 == 0, number < Self.firstChild {
      let child = try await call.start(Chore.self, ["number": Self.firstChild + number])
      _ = try await call.value(of: child)
    }
    try await make("second", in: call)
    if number % 5 == 0, call.attempt == 1 { throw ChoreError() }
    try await make("third", in: call)
    _ = try call.createPromise(of: Int.self, label: "made \(number)")
    return number
  }

  /// The number of the first chore that another one starts.
  private static let firstChild = 1_000_000

  private func make(_ name: String, in call: WorkCall<Void>) async throws {
    let policy = try WorkRetryPolicy(
      failureLimit: nil, firstDelay: .zero, longestDelay: .milliseconds(5))
    try await call.step(name, retrying: policy) { step in
      // A body must not begin after its result was kept.
      note("body", name)
      _ = try step.createPromise(of: Int.self, label: "made \(number) \(name)")
      await Task.yield()
      if number % 11 == 0, step.attempt == 1 { throw ChoreError() }
    }
    // A step must not return before its result is kept.
    note("kept", name)
  }

  private func note(_ fact: String, _ step: String) {
    report("\(fact) \(number) \(step) \(Timestamp.now.nanosecondsSinceEpoch)")
  }
}

private struct ChoreError: Error {}

/// Writes a line for the parent. Within a chore, `Output` is the type of its value.
private func report(_ line: String) { Output.line(line) }
