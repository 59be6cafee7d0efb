import Synchronization

/// The reason why the task of an attempt was cancelled.
final class Interruption: Sendable {
  enum Reason: Sendable {
    /// The runner stops.
    case stop
    /// The attempt took too long.
    case timeout(Duration)
    /// The work was cancelled, it ended otherwise, or another attempt was started.
    case ended
  }

  private let contents = Mutex<Reason?>(nil)

  var reason: Reason? { contents.withLock { $0 } }

  /// Notes a reason; the first one counts.
  func note(_ reason: Reason) { contents.withLock { $0 = $0 ?? reason } }

  /// Runs code, and cancels it when it has taken too long. Code that ignores this is left behind a little later, so
  /// that it holds up nothing else.
  ///
  /// - Parameter flow: Tells how long the attempt has taken: the time in which the work was given back, or the
  ///   session was frozen and that is recorded, does not count.
  func limiting<R: Sendable>(
    _ timeout: Duration?, _ flow: WorkFlow, in ledger: Ledger,
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    guard let timeout else { return try await body() }
    let code = Task { try await body() }
    let end = FirstEnd<R>()
    Task { end(await code.result) }
    let timer = Task {
      try await ledger.sleep(
        while: { timeout - flow.timeInAttempt },
        pausing: ledger.engine.phase.waitWhileTimeStands)
      try Task.checkCancellation()
      self.note(.timeout(timeout))
      flow.interrupt()
      code.cancel()
      // Before other processes may take the work over.
      try await Task.sleep(for: min(timeout, WorkLoop.patience))
      end(.failure(CancellationError()))
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await end.value
    } onCancel: {
      code.cancel()
    }
  }
}

/// The first of several ends of code. Waiting for it cannot be cancelled.
private final class FirstEnd<Value: Sendable>: Sendable {
  private struct Contents {
    var result: Result<Value, any Error>?
    var waiter: CheckedContinuation<Value, any Error>?
  }

  private let contents = Mutex(Contents())

  func callAsFunction(_ result: Result<Value, any Error>) {
    let waiter = contents.withLock { contents -> CheckedContinuation<Value, any Error>? in
      guard contents.result == nil else { return nil }
      contents.result = result
      return contents.waiter.take()
    }
    waiter?.resume(with: result)
  }

  var value: Value {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let result = contents.withLock { contents in
          if contents.result == nil { contents.waiter = continuation }
          return contents.result
        }
        if let result { continuation.resume(with: result) }
      }
    }
  }
}
