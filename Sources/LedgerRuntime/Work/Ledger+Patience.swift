import Logging

extension Ledger {
  /// Runs `body` again each time that it fails because the ledger cannot be read or written to for a time.
  ///
  /// - Parameters:
  ///   - what: The message to log at each failure.
  ///   - metadata: The metadata to log.
  func patiently<Result: Sendable>(
    _ what: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata = [:],
    _ body: () async throws -> Result
  ) async throws -> Result {
    while true {
      do {
        return try await body()
      } catch let error as LedgerError where error.isPassing {
        configuration.logger.warning(
          what, metadata: metadata().merging(["error": "\(error)"]) { $1 })
        if error.code == .frozen {
          try await engine.phase.waitWhileFrozen()
        } else {
          // Nothing tells when the disk has room again, or the other writer is gone.
          try await Task.sleep(for: configuration.pollInterval)
        }
      }
    }
  }

  /// Waits until no time is left, by the clock that measures attempts.
  ///
  /// - Parameter pause: Waits for as long as the time stands still, called before each look at it.
  func sleep(
    while timeLeft: () -> Duration, pausing pause: () async throws -> Void = {}
  ) async throws {
    while true {
      try await pause()
      // The time first: if a test moves the clock in between, the wait is too short rather than too long.
      let now = self.now
      let rest = timeLeft()
      guard rest > .zero else { return }
      guard engine.setup.clock is any MovedLedgerClock else {
        try await Task.sleep(for: rest)
        continue
      }
      try await sleep(until: now + rest)
    }
  }

  /// Waits until a time, by the clock of the session.
  func sleep(until time: Timestamp) async throws {
    let wakeUp = WakeUp()
    let moved = engine.setup.clock as? any MovedLedgerClock
    moved?.whenMoved { [weak wakeUp] in
      wakeUp?()
      return wakeUp != nil
    }
    while now < time {
      try Task.checkCancellation()
      // The clock may be set meanwhile. One that a test moves tells when it does.
      let rest = min(time - now, configuration.pollInterval)
      await wakeUp.wait(atMost: moved == nil ? max(.milliseconds(1), rest) : nil)
    }
  }
}

extension LedgerError {
  /// Whether the same command may succeed later.
  fileprivate var isPassing: Bool {
    let codes: [Code] = [
      .frozen, .ledgerFull, .diskFull, .writerStalled, .ioFailure, .unavailable, .notDurable,
      .tooManyCommands, .tooManyReaders, .commitOutcomeUnknown,
    ]
    return codes.contains(code)
  }

  /// Whether the session can record nothing more.
  var isOfEndedSession: Bool {
    let codes: [Code] = [.closed, .sessionEnded, .historyChanged, .forkedProcess, .sealed]
    return codes.contains(code)
  }
}
