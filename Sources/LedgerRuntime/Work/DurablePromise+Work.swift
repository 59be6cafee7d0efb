extension DurablePromise {
  /// Starts work when the promise is settled, even if no process that runs now lives until then.
  ///
  /// The code receives the outcome as arguments: the value as `value`, or, if the promise has none, the error
  /// as `failure` (a ``StoredError``). They are passed when it runs, and are not stored again.
  ///
  /// ```swift
  /// struct PublishImage: LedgerWork {
  ///   static let kind = "publish-image"
  ///   var album: String
  ///   var value: ImageReply   // of the promise
  ///   …
  /// }
  /// try await uploaded.then(PublishImage.self, ["album": album])
  /// ```
  ///
  /// If the promise is settled in another way than `settlement`, the code does not run, and the returned
  /// promise takes over the outcome.
  ///
  /// - Parameters:
  ///   - type: The type with the code. This session need not know the kind.
  ///   - arguments: The other arguments of the code.
  ///   - settlement: The outcomes after which the code runs.
  ///   - key: A key, from which the id of the returned promise is then derived: repeating the call with the
  ///     same key starts the work only once.
  ///   - options: The priority, lane, limits and retry policy of the work.
  ///   - lifetime: The time up to which the returned promise is open.
  ///   - label: A human-readable text, at most 256 bytes of UTF-8.
  ///   - tags: At most 16 texts of 1 to 64 bytes of UTF-8.
  ///   - deadline: The time at which the returned promise times out.
  /// - Returns: The promise of the result.
  /// - Throws: As ``Ledger/start(_:_:key:at:options:lifetime:label:tags:deadline:)``, and `notFound` if there
  ///   is no such promise.
  @discardableResult
  public func then<Work: LedgerWork>(
    _ type: Work.Type, _ arguments: HandlerArguments = [:],
    on settlement: ThenSettlement = .fulfilled, key: PromiseKey? = nil,
    options: WorkOptions = WorkOptions(), lifetime: PromiseCreated.Lifetime = .untilSettled,
    label: String? = nil, tags: [String] = [], deadline: Timestamp? = nil
  ) async throws -> DurablePromise<Work.Output> {
    try await ledger.start(
      WorkOrder(
        type, arguments, trigger: .after(id, settlement.settlement), key: key, options: options,
        lifetime: lifetime, label: label, tags: tags, deadline: deadline))
  }

  /// Starts work if the promise is rejected, cancelled or abandoned, or times out; its result takes the place
  /// of the value.
  ///
  /// If the promise is fulfilled, the code does not run, and the returned promise has the same value. The
  /// code receives the error as the argument `failure`.
  ///
  /// - Throws: As ``then(_:_:on:key:options:lifetime:label:tags:deadline:)``.
  @discardableResult
  public func recover<Work: LedgerWork>(
    with type: Work.Type, _ arguments: HandlerArguments = [:], key: PromiseKey? = nil,
    options: WorkOptions = WorkOptions(), lifetime: PromiseCreated.Lifetime = .untilSettled,
    label: String? = nil, tags: [String] = [], deadline: Timestamp? = nil
  ) async throws -> DurablePromise<Value> where Work.Output == Value {
    try await ledger.start(
      WorkOrder(
        type, arguments, trigger: .after(id, .failed), key: key, options: options,
        lifetime: lifetime, label: label, tags: tags, deadline: deadline))
  }

  /// Cancels the work that settles the promise.
  ///
  /// - Throws: As ``Ledger/cancelWork(_:reason:)``.
  @discardableResult
  public func cancelWork(reason: String = "") async throws -> WorkCancellation {
    try await ledger.cancelWork(id, reason: reason)
  }
}

/// The outcomes of a promise after which work runs that continues it.
public struct ThenSettlement: Sendable, Hashable {
  let settlement: WorkTrigger.Settlement

  /// The work runs after a fulfilment; any other outcome passes to its promise.
  public static let fulfilled = ThenSettlement(settlement: .fulfilled)
  /// The work runs after every outcome.
  public static let any = ThenSettlement(settlement: .any)
}
