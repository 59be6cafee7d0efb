import Logging

/// Records in the ledger what the code of one work does while it runs: the ends of its steps, and its waits.
struct WorkDriver: Sendable {
  let ledger: Ledger
  let called: CalledWork

  var flow: WorkFlow { called.flow }
  var id: PromiseID { called.promise }

  /// The name of the work in errors.
  var name: CodeName { .work(id, kind: called.kind) }

  // MARK: Commands

  /// Submits a command however long the ledger cannot be written to, and even if the task is cancelled: its
  /// answer must be noted.
  ///
  /// - Throws: ``WorkSuspended`` if the session can do nothing more; other errors of the command.
  func submit<C: Command>(_ command: C) async throws -> C.Answer {
    do {
      return try await Task.detached { [self] in
        try await ledger.patiently("work cannot go on yet", ["promise": "\(id)"]) {
          try await ledger.engine.submit(command)
        }
      }.value
    } catch let error as LedgerError where error.isOfEndedSession {
      flow.end()
      throw WorkSuspended()
    }
  }

  /// Parks the work because no attempt of this build can go on.
  func park(_ error: any Error) -> WorkSuspended {
    flow.end(parking: StoredError(error))
    return WorkSuspended()
  }

  /// Starts the next attempt, if the work was given back while the code waited.
  func takeUp() async throws {
    while true {
      switch try flow.beginResumption() {
      case .running: return
      case .wait: await flow.waitForPhase()
      case .take(let attempt):
        guard let attempt = try await submit(TakeUpWork(id: id, attempt: attempt)) else {
          // Perhaps the runner took it up.
          if flow.isRunning { return }
          flow.end()
          throw WorkSuspended()
        }
        flow.noteRunning(attempt)
        called.observer?.workWasTakenUp(id, flow)
      }
    }
  }

  // MARK: Waiting

  /// Waits as wished. The work is given back if all of its code that is known waits.
  ///
  /// - Parameter step: The step that waits for its next try.
  /// - Returns: Whether the wait ended because the work is cancelled, so that the code must learn of it.
  func wait(_ wish: WorkWish, of step: StepIdentity? = nil) async throws -> Bool {
    var number = try flow.register(wish, of: step)
    while number == nil {
      try await takeUp()
      number = try flow.register(wish, of: step)
    }
    guard let number else { return false }
    flow.setWatcher(
      of: number,
      Task { [self] in
        await watch(wish)
        if !Task.isCancelled { flow.wake(number) }
      })
    suspendIfAllWaits()
    await flow.pause(number)
    let isCancelled = flow.forget(number, of: step)
    // The other waits may be all that is left.
    suspendIfAllWaits()
    try flow.requireTime()
    try Task.checkCancellation()
    return isCancelled
  }

  /// Waits for the end of a wish in this process.
  private func watch(_ wish: WorkWish) async {
    await withTaskGroup(of: Void.self) { group in
      if let time = wish.time { group.addTask { try? await ledger.sleep(until: time) } }
      for promise in wish.promises {
        group.addTask {
          do {
            _ = try await ledger.engine.settled(promise)
          } catch {
            // The caller finds out why; if that passes, it waits again.
            try? await Task.sleep(for: ledger.configuration.pollInterval)
          }
        }
      }
      await group.next()
      group.cancelAll()
    }
  }

  /// The time for which code that waits keeps its work: another part of it may be about to wait too, or the wait
  /// may end.
  private static let patience = Duration.milliseconds(10)

  /// Gives the work back soon, if all of its code that is known waits then.
  func suspendIfAllWaits() {
    guard flow.planSuspension() else {
      called.observer?.workMayRest()
      return
    }
    Task.detached {
      try? await Task.sleep(for: Self.patience)
      guard let suspension = flow.beginSuspension(at: ledger.now) else { return }
      await suspend(suspension)
    }
  }

  private func suspend(_ suspension: WorkFlow.Suspension) async {
    let command = SuspendWork(
      id: id, attempt: suspension.attempt, until: suspension.condition,
      awaited: suspension.awaited, stepFailures: suspension.failures, error: suspension.error)
    do {
      switch try await submit(command) {
      case .suspended(let attempt):
        flow.noteSuspended(suspension, attempt: attempt)
        called.observer?.workWasSuspended(id, flow)
      case .due(let attempt): flow.noteRunning(attempt)
      case .cancelRequested(let attempt):
        flow.noteRunning(attempt)
        flow.noteCancelRequest()
      case .superseded: flow.end()
      }
    } catch {
      flow.end()
    }
  }

  // MARK: Cancellation

  /// Keeps that the code learned of the cancellation of the work at a step.
  ///
  /// - Returns: The error for the code.
  func cancel(_ step: StepIdentity) async throws -> StepFailure {
    try await takeUp()
    let now = ledger.now
    let kept = try await record { attempt in
      FinishStep(id: id, attempt: attempt, step: step, result: .cancelled, startedAt: now)
    }
    return StepFailure(step, .cancelled(reason: try await reason(kept)))
  }

  /// The reason that a step was told for the cancellation of the work.
  func reason(_ step: WorkStep) async throws -> String {
    String(decoding: try await result(of: step).bytes, as: UTF8.self)
  }

  // MARK: Results

  /// Submits the end of a step, and notes it.
  ///
  /// - Parameter command: Makes the command for an attempt.
  /// - Throws: ``WorkSuspended``; ``RefusedEffect``; other errors of the command.
  func record(_ command: (UInt32) -> FinishStep) async throws -> WorkStep {
    flow.beginCommand()
    defer { flow.endCommand() }
    var attempt = flow.attempt
    let handlers = HandlerRunner(ledger: ledger)
    while true {
      let command = command(attempt)
      var answer: FinishStep.Answer?
      let followers = try await handlers.noting(command.effects) {
        let given = try await submit(command)
        answer = given
        guard case .finished(let finished) = given else { return [] }
        // The answer for a step that was kept before names none.
        return finished.startedCalls.isEmpty ? nil : finished.startedCalls
      }
      switch answer {
      case .finished(let finished)?:
        flow.end(command.step, finished.step, attempt: finished.attempt)
        suspendIfAllWaits()
        // Calls that the body scheduled do not hold up the work.
        Task.detached { await handlers.perform(chain: followers) }
        return finished.step
      case .refused(let error)?: throw RefusedEffect(error: error)
      case .limitReached(let error)?: throw park(error)
      case .superseded?, nil:
        // Perhaps another part of the code took the work up after a freeze.
        let newer = await flow.newerAttempt(than: attempt)
        guard let newer else {
          flow.end()
          throw WorkSuspended()
        }
        attempt = newer
      }
    }
  }

  /// The type and the bytes of a step's result, without the effects of its body.
  func result(of step: WorkStep) async throws -> StoredValue {
    let finished = try step.finished()
    let content: [UInt8]
    if let inline = finished.content {
      content = inline
    } else if let attachment = step.attachment {
      content = try await ledger.patiently("the result of a step cannot be read yet") {
        try await ledger.engine.attachment(
          of: attachment.position, byteCount: attachment.byteCount)
      }
    } else {
      throw LedgerError(.corrupt, "\(name): the result of step \(step.identity) is missing.")
    }
    return StoredValue(
      typeTag: finished.typeTag, bytes: try PromiseResolved.outcome(ofAttempt: content).value)
  }
}

/// The error of a body that requires an effect that was refused.
struct RefusedEffect: Error {
  let error: StoredError
}
