import LedgerModel
import LedgerRuntime

/// A session with a clock that jumps to what comes next.
struct PacedSession: Sendable {
  /// Tells how promises are settled from outside.
  typealias Signals = @Sendable (PromiseRecord) -> WorkSignal?

  let ledger: Ledger
  let runner: PacedRunner
  let clock: ManualLedgerClock
  let limits: RunLimits

  /// Runs what is due, without moving the clock.
  func runDue() async throws {
    while true {
      let outlook = try await runDue(for: nil)
      guard outlook.runsCalls else { return }
      try await advance(past: outlook.position, for: nil)
    }
  }

  /// Runs what is due, and moves the clock to what comes next, until a promise is settled.
  ///
  /// - Parameter promise: The promise; `nil` to run until nothing is due and nothing waits for a time.
  /// - Throws: ``WorkStandstill``.
  func run(until promise: PromiseID?, signals: Signals = { _ in nil }) async throws {
    var (jumpCount, signalCount) = (0, 0)
    while true {
      let outlook = try await runDue(for: promise)
      if let promise, try await isSettled(promise) { return }
      guard !outlook.runsCalls else {
        try await advance(past: outlook.position, for: promise)
        continue
      }
      let signal = try await nextSignal(signals)
      guard let next = [outlook.nextTime, signal?.time].compactMap({ $0 }).min() else {
        guard promise != nil else { return }
        throw try await standstill(.nothingIsAwaited, promise)
      }
      let now = clock.now()
      if next > now {
        guard jumpCount < limits.maximumJumpCount else {
          throw try await standstill(.tooManyJumps(jumpCount), promise)
        }
        jumpCount += 1
        clock.advance(by: next - now)
      }
      if let signal, signal.time <= clock.now() {
        // Code may ask for ever.
        guard signalCount < limits.maximumJumpCount else {
          throw try await standstill(.tooManyJumps(jumpCount + signalCount), promise)
        }
        signalCount += 1
        try await signal.signal.settle(signal.promise, ledger)
      } else if next <= now {
        // The writer is about to time out a promise.
        try await advance(past: outlook.position, for: promise)
      }
    }
  }

  private func runDue(for promise: PromiseID?) async throws -> PacedRunner.Outlook {
    try await patiently(promise) { [runner] in try await runner.runDue() }
  }

  private func advance(past position: Position, for promise: PromiseID?) async throws {
    try await patiently(promise) { [runner] in try await runner.advance(past: position) }
  }

  /// Waits for code, but not for ever.
  private func patiently<R: Sendable>(
    _ promise: PromiseID?, _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    do {
      return try await wait(for: "code that runs", limits.patience, body)
    } catch is WaitedInVain {
      throw try await standstill(.codeDoesNotEnd(limits.patience), promise)
    }
  }

  private func isSettled(_ promise: PromiseID) async throws -> Bool {
    guard let record = try await ledger.record(of: promise) else {
      throw LedgerError(.notFound, "There is no promise \(promise) in this ledger.")
    }
    return record.status != .pending
  }

  private func nextSignal(
    _ signals: Signals
  ) async throws -> (time: Timestamp, promise: PromiseID, signal: WorkSignal)? {
    let open = try await ledger.engine.read(fromCopy: true) { try $0.openPromises().map(\.id) }
    var first: (time: Timestamp, promise: PromiseID, signal: WorkSignal)?
    for id in open {
      guard let record = try await ledger.record(of: id), record.status == .pending,
        let signal = signals(record)
      else { continue }
      let time = record.created.time + signal.delay
      if first.map({ time < $0.time }) ?? true { first = (time, id, signal) }
    }
    return first
  }

  private func standstill(
    _ reason: WorkStandstill.Reason, _ promise: PromiseID?
  ) async throws -> WorkStandstill {
    let explanations = try await wait(for: "an answer of the ledger", limits.patience) {
      try await self.explanations(of: promise)
    }
    return WorkStandstill(
      reason: reason, promise: promise, time: clock.now(), explanations: explanations)
  }

  /// The reasons why a promise, and all open work, wait.
  private func explanations(of promise: PromiseID?) async throws -> [Explanation] {
    var ids = try await ledger.openWork().map(\.id)
    if let promise, !ids.contains(promise) { ids.insert(promise, at: 0) }
    var explanations: [Explanation] = []
    for id in ids {
      if let explanation = try await ledger.explanation(of: id) { explanations.append(explanation) }
    }
    return explanations
  }
}

/// What a run may take before it gives up.
struct RunLimits: Sendable {
  /// The maximum number of times that one run moves the clock.
  var maximumJumpCount = 1_000
  /// The maximum time to wait for code, by the clock of the machine.
  var patience = Duration.seconds(60)
}
