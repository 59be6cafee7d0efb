extension Ledger {
  /// The stale promises, in the order of their creation: resolved, not consumed, and with
  /// no task left that could be waiting.
  ///
  /// A promise is stale if its creating session ended or was of the role `appExtension`, and no
  /// task of this process waits for it.
  ///
  /// - Throws: ``LedgerError`` with `roleMayNotConsume` in any role but `app`.
  /// - Complexity: O(n) in the number of unconsumed promises.
  public func stalePromises() async throws -> [PromiseRecord] {
    try requireApp()
    return try await records.records(of: try await staleEntities { _ in true })
  }

  /// Every stale promise, once, now and as long as the sequence is iterated.
  public var stalePromiseUpdates: StalePromiseSequence { StalePromiseSequence(ledger: self) }

  private func staleEntities(
    createdBy isMeant: @escaping @Sendable (SessionEntity?) -> Bool
  ) async throws -> [PromiseEntity] {
    let engine = engine
    return try await engine.read(fromCopy: true) { state in
      try state.openPromises().filter { promise in
        guard try state.isLeft(promise) else { return false }
        return isMeant(try state.readableSession(promise.created.session))
      }
    }.filter { !engine.replica.isAwaited($0.id) }
  }

  /// Refuses the roles to which an outcome is not offered.
  func requireApp() throws(LedgerError) {
    guard role == .app else {
      throw LedgerError(.roleMayNotConsume, "Only the app is offered stale promises.")
    }
  }

  func applyStalePolicy() async throws {
    let instance = configuration.instance
    let isOurs = { @Sendable (creator: SessionEntity?) in creator?.opened.instance == instance }
    switch configuration.stalePromisePolicy {
    case .keep:
      return
    case .surface(let surface):
      for record in try await records.records(of: try await staleEntities(createdBy: isOurs)) {
        await surface(record)
      }
    case .abandonFulfilled:
      for entity in try await staleEntities(createdBy: isOurs)
      where entity.resolution?.outcome == .fulfilled {
        try await abandon(entity.id, reason: "stale when the app opened the ledger")
      }
    }
  }
}

extension LedgerState {
  /// Whether the promise is resolved, not consumed, and its creator will not come for it.
  func isLeft(_ promise: PromiseEntity) throws(LedgerError) -> Bool {
    let creator = promise.created.session
    guard promise.status == .resolved, try !isOpenAndOpaque(creator) else { return false }
    return try readableSession(creator).map {
      $0.isEnded || $0.opened.role == .appExtension
    }
      ?? true
  }
}
