import LedgerPromises

extension Error {
  /// The error of a given type that a promise was rejected with: this error itself, or its form as stored in
  /// a ledger.
  ///
  /// ```swift
  /// do {
  ///   show(try await avatar.consume())
  /// } catch {
  ///   if let refusal = error.stored(as: ChatError.self), refusal.isTemporary { offerRetry() }
  ///   show(error.localizedDescription)
  /// }
  /// ```
  ///
  /// - Returns: `nil` if the error is of another type, or if this build cannot decode the stored form.
  public func stored<Value: Error & Codable & Sendable>(
    as type: Value.Type = Value.self
  ) -> Value? {
    (self as? Value) ?? asStoredError?.decode(as: type)
  }

  /// Whether the error reports a cancellation, which you need not show to a person.
  ///
  /// This is true for `CancellationError`, `CocoaError.userCancelled`, `URLError.cancelled`, the form of each
  /// as stored in a ledger, ``PromiseFailure/cancelled(reason:)``, and the `PromiseError` of a cancelled
  /// promise in memory. A durable promise that is rejected with such an error is still rejected: a
  /// cancellation is never inferred from an error. Use
  /// ``DurablePromise/cancel(reason:idempotencyKey:strict:)`` to cancel one.
  public var isCancellation: Bool {
    switch self as any Error {
    case is CancellationError, PromiseFailure.cancelled: return true
    case let error as PromiseError: return error.code == .cancelled
    default:
      let stored = asStoredError ?? StoredError(self)
      return StoredError.cancellations.contains { $0 == (stored.domain, stored.code) }
    }
  }

  private var asStoredError: StoredError? {
    (self as? StoredError) ?? (self as? any StorableError)?.storedError
  }
}

extension StoredError {
  fileprivate static let cancellations: [(domain: String, code: Int64?)] = [
    ("CancellationError", nil), ("NSCocoaErrorDomain", 3_072), ("NSURLErrorDomain", -999),
  ]
}
