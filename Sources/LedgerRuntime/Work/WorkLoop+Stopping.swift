import Logging
import Synchronization

// MARK: - Stopping

extension WorkLoop {
  /// Gives running code time to end, then cancels it. Code that does not end soon is left behind, so that it holds up
  /// neither the caller nor its work.
  ///
  /// - Parameter gracePeriod: The time before the code is cancelled.
  func stop(after gracePeriod: Duration) async {
    // The caller's task may be cancelled.
    await Task.detached { [self] in
      contents.withLock { ($0.lastStart, $0.isStopping) = (nil, true) }
      await wait(atMost: gracePeriod) { $0.runningCount == 0 }
      interruptCode()
      await wait(atMost: Self.patience) { $0.runningCount == 0 && $0.waiting.isEmpty }
      leaveCode()
      // A session that is frozen has given its work back.
      guard engine.phase.store != nil else { return }
      try? await limited(to: Self.patience) { try await self.releaseLostClaims() }
    }.value
  }

  /// Waits until a condition is met, which the end of code may bring about.
  private func wait(atMost duration: Duration, until isMet: (Contents) -> Bool) async {
    let clock = ContinuousClock()
    let end = clock.now + duration
    while !contents.withLock({ isMet($0) }), clock.now < end {
      await wakeUp.wait(atMost: end - clock.now)
    }
  }

  private func interruptCode() {
    let code = contents.withLock { contents in
      for running in contents.running.values { running.interruption.note(.stop) }
      return Array(contents.running.values) + Array(contents.waiting.values)
    }
    for code in code {
      // Waiting code has given its work back.
      if code.flow.isRunning { code.flow.interrupt() } else { code.flow.end() }
      code.task?.cancel()
    }
  }

  /// Leaves the code behind that has not ended: it can record nothing more.
  private func leaveCode() {
    let left = contents.withLock { contents in
      let left = contents.running.merging(contents.waiting) { running, _ in running }
      (contents.running, contents.waiting, contents.counts) = ([:], [:], [:])
      // Their attempts have lost their code.
      if !left.isEmpty { contents.hasLostClaims = true }
      return left
    }
    for (id, code) in left {
      code.flow.end()
      code.task?.cancel()
      log("code did not end after its cancellation, and is left behind", ["promise": "\(id)"])
    }
  }

  /// Runs an operation, and cancels it after some time.
  private func limited(
    to duration: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await body() }
      group.addTask { try await Task.sleep(for: duration) }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Cuts running and waiting code off from its work, and does not wait for it.
  func abandonCode() {
    let code = contents.withLock { Array($0.running.values) + Array($0.waiting.values) }
    for code in code {
      code.interruption.note(.ended)
      code.flow.end()
      code.task?.cancel()
    }
    wakeUp()
  }
}

// MARK: - Draining

extension WorkLoop {
  /// Runs due work until there is no more, or the time is up.
  ///
  /// - Returns: Whether there is no more.
  func drain(until deadline: Timestamp) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { try await self.drainDue(until: deadline) }
      // The session may be frozen, or another process may hold up a commit.
      group.addTask {
        guard let ledger = self.ledger else { throw LedgerError.sessionClosed }
        try await ledger.sleep(while: { deadline - self.now })
        return false
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
  }

  private func drainDue(until deadline: Timestamp) async throws -> Bool {
    let lastStart = deadline + (.zero - min(.seconds(5), (deadline - now) / 2))
    contents.withLock { $0.lastStart = lastStart }
    while true {
      try Task.checkCancellation()
      let remaining = deadline - now
      guard remaining > .zero else { return false }
      do {
        try await look()
        try await startDue { now < lastStart }
        // The work that suspects were set aside for may have ended meanwhile: then they are due again.
        let (isIdle, isDone) = contents.withLock { contents in
          (contents.runningCount == 0, contents.isDone && !contents.agenda.hasSuspects)
        }
        if isIdle, isDone || now >= lastStart { return isDone }
        await wakeUp.wait(atMost: min(remaining, timeUntilNext() ?? remaining))
      } catch let error as LedgerError {
        try await wait(after: error)
      }
    }
  }
}
