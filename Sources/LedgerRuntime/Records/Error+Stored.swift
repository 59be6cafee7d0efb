import LedgerPromises

extension Error {
  /// The error of a type that a promise was rejected with, wherever it is: this error itself, or what
  /// a ledger stored of it.
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

  /// Whether it says that something was cancelled, so that there is nothing to tell a person.
  ///
  /// These do: `CancellationError`, `CocoaError.userCancelled`, `URLError.cancelled`, each also as a
  /// ledger stored it, ``PromiseFailure/cancelled(reason:)``, and the `PromiseError` of a cancelled
  /// promise in memory. A durable promise that is rejected with one is rejected all the same: whether
  /// it was cancelled is never guessed from an error. Use ``DurablePromise/cancel(reason:idempotencyKey:strict:)``
  /// to cancel one.
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
