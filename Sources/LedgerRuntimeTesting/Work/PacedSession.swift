import LedgerModel
import LedgerRuntime

/// A session with a clock that jumps to what comes next.
struct PacedSession: Sendable {
  /// Tells how promises are settled from outside.
  typealias Signals = @Sendable (PromiseRecord) -> WorkSignal?

  let ledger: Ledger
  let runner: PacedRunner
  let clock: ManualLedgerClock
  let maximumJumpCount: Int

  /// Runs what is due, without moving the clock.
  func runDue() async throws {
    while true {
      let outlook = try await runner.runDue()
      guard outlook.runsCalls else { return }
      try await runner.advance(past: outlook.position)
    }
  }

  /// Runs what is due, and moves the clock to what comes next, until a promise is settled.
  ///
  /// - Parameter promise: The promise; `nil` to run until nothing is due and nothing waits for a time.
  /// - Throws: ``WorkStandstill``.
  func run(until promise: PromiseID?, signals: Signals = { _ in nil }) async throws {
    var jumpCount = 0
    while true {
      let outlook = try await runner.runDue()
      if let promise, try await isSettled(promise) { return }
      guard !outlook.runsCalls else {
        try await runner.advance(past: outlook.position)
        continue
      }
      let signal = try await nextSignal(signals)
      guard let next = [outlook.nextTime, signal?.time].compactMap({ $0 }).min() else {
        guard promise != nil else { return }
        throw try await standstill(.nothingIsAwaited, promise)
      }
      let now = clock.now()
      if next > now {
        guard jumpCount < maximumJumpCount else {
          throw try await standstill(.tooManyJumps(jumpCount), promise)
        }
        jumpCount += 1
        clock.advance(by: next - now)
      }
      if let signal, signal.time <= clock.now() {
        try await signal.signal.settle(signal.promise, ledger)
      } else if next <= now {
        // The writer is about to time out a promise.
        try await runner.advance(past: outlook.position)
      }
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
    var ids = try await ledger.openWork().map(\.id)
    if let promise, !ids.contains(promise) { ids.insert(promise, at: 0) }
    var explanations: [Explanation] = []
    for id in ids {
      if let explanation = try await ledger.explanation(of: id) { explanations.append(explanation) }
    }
    return WorkStandstill(
      reason: reason, promise: promise, time: clock.now(), explanations: explanations)
  }
}
