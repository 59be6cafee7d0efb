extension LedgerCall where Subject == CalledWork {
  /// A promise of the values of all promises, in their order, which every attempt finds again.
  ///
  /// ```swift
  /// let parcels = try await call.startAll(Ship.self, items.map { ["item": $0] })
  /// let labels = try await call.value(of: call.all(parcels))
  /// ```
  ///
  /// - Parameters:
  ///   - promises: The promises, the same in every attempt, such as children of this work.
  ///   - name: The name of the joint among the steps of this work.
  ///   - key: A text that distinguishes steps of one name.
  /// - Throws: ``StepFailure`` if the work was cancelled; ``WorkSuspended``; otherwise as
  ///   ``Ledger/all(_:key:lifetime:label:tags:deadline:)``.
  public func all<Value: Sendable>(
    _ promises: [DurablePromise<Value>], name: String = "all", key: String? = nil
  ) async throws -> DurablePromise<[Value]> {
    try await join(.all, promises, try ledger.codec(of: promises).all, name, key)
  }

  /// A promise of the outcomes of all promises, in their order, which every attempt finds again.
  ///
  /// - Throws: As ``all(_:name:key:)``.
  public func allSettled<Value: Sendable>(
    _ promises: [DurablePromise<Value>], name: String = "allSettled", key: String? = nil
  ) async throws -> DurablePromise<[PromiseOutcome<Value>]> {
    try await join(.allSettled, promises, try ledger.codec(of: promises).allSettled, name, key)
  }

  /// A promise of the value of the promise that is fulfilled first, which every attempt finds again.
  ///
  /// - Throws: As ``all(_:name:key:)``, and `invalidArgument` if there is no promise.
  public func any<Value: Sendable>(
    _ promises: [DurablePromise<Value>], name: String = "any", key: String? = nil
  ) async throws -> DurablePromise<Value> {
    try await join(.any, promises, try ledger.codec(of: promises), name, key)
  }

  /// A promise that is settled like the promise that is settled first, which every attempt finds again.
  ///
  /// - Throws: As ``any(_:name:key:)``.
  public func race<Value: Sendable>(
    _ promises: [DurablePromise<Value>], name: String = "race", key: String? = nil
  ) async throws -> DurablePromise<Value> {
    try await join(.race, promises, try ledger.codec(of: promises), name, key)
  }

  private func join<Value: Sendable, Joined: Sendable>(
    _ rule: PromiseCreated.Joint.Rule, _ promises: [DurablePromise<Value>],
    _ codec: PayloadCodec<Joined>, _ name: String, _ key: String?
  ) async throws -> DurablePromise<Joined> {
    let ledger = ledger
    try ledger.requireOwn(promises)
    return try await driver.child(name, key: key, codec) { childKey, parent in
      let order = JointOrder(
        rule: rule, inputs: promises.map(\.id), id: childKey.promiseID, typeTag: codec.typeTag,
        key: childKey, parent: parent)
      try await ledger.create(order)
    }
  }
}
