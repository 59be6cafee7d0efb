import LedgerRuntime

/// The settlement, from outside, of a promise that work waits for.
///
/// ```swift
/// var verifier = WorkVerifier(handlers)
/// verifier.signals = { _ in .fulfill(Verdict.approved, after: .seconds(5 * 86_400)) }
/// ```
public struct WorkSignal: Sendable {
  /// The time from the creation of the promise to its settlement.
  let delay: Duration
  let settle: @Sendable (PromiseID, Ledger) async throws -> Void

  /// Gives the promise a value.
  ///
  /// - Parameters:
  ///   - value: The value, of the type of the promise.
  ///   - delay: The time from the creation of the promise, by the clock of the test.
  public static func fulfill<Value: Sendable>(
    _ value: Value, after delay: Duration = .zero
  ) -> WorkSignal {
    WorkSignal(delay: delay) { id, ledger in
      try await ledger.promise(id: id, of: Value.self).fulfill(value)
    }
  }

  /// Rejects the promise with an error.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - delay: The time from the creation of the promise, by the clock of the test.
  public static func reject(_ error: any Error, after delay: Duration = .zero) -> WorkSignal {
    let stored = StoredError(error)
    return WorkSignal(delay: delay) { id, ledger in
      try await ledger.resolve(id, with: .rejected(stored))
    }
  }

  /// Cancels the promise.
  ///
  /// - Parameters:
  ///   - reason: The reason, at most 2,048 bytes of UTF-8.
  ///   - delay: The time from the creation of the promise, by the clock of the test.
  public static func cancel(reason: String = "", after delay: Duration = .zero) -> WorkSignal {
    WorkSignal(delay: delay) { id, ledger in
      try await ledger.resolve(id, with: .cancelled(reason: reason))
    }
  }
}
