extension Ledger {
  /// The stale promises, in the order of their creation: resolved, not consumed, and nobody who
  /// could still be waiting.
  ///
  /// A promise is stale if its creating session ended or was of the role `appExtension`, and nobody
  /// in this process waits for it.
  ///
  /// - Throws: ``LedgerError`` with `roleMayNotConsume` in any role but `app`.
  /// - Complexity: O(n) in the number of unconsumed promises.
  public func stalePromises() async throws -> [PromiseRecord] {
    guard role == .app else {
      throw LedgerError(.roleMayNotConsume, "Only the app is offered stale promises.")
    }
    return try await records(try await staleEntities { _ in true })
  }

  /// Every stale promise, once, now and as long as the sequence is iterated.
  public var stalePromiseUpdates: StalePromiseSequence { StalePromiseSequence(ledger: self) }

  private func staleEntities(
    createdBy isMeant: @escaping @Sendable (SessionEntity?) -> Bool
  ) async throws -> [PromiseEntity] {
    let engine = engine
    return try await engine.read { state in
      state.promises.open.filter { entity in
        guard entity.status == .resolved else { return false }
        let creator = state.sessions[entity.created.session]
        let isLeft = creator.map { $0.isEnded || $0.opened.role == .appExtension } ?? true
        return isLeft && isMeant(creator)
      }
    }.filter { !engine.replica.isAwaited($0.id) }
  }

  func applyStalePolicy() async throws {
    let instance = configuration.instance
    let isOurs = { @Sendable (creator: SessionEntity?) in creator?.opened.instance == instance }
    switch configuration.stalePromisePolicy {
    case .keep:
      return
    case .surface(let surface):
      for record in try await records(try await staleEntities(createdBy: isOurs)) {
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

/// The stale promises of a ledger as they come up, each once.
///
/// It throws what ``Ledger/stalePromises()`` throws, and ends when the ledger is closed.
public struct StalePromiseSequence: AsyncSequence, Sendable {
  let ledger: Ledger

  /// Starts from the promises that are stale now.
  public func makeAsyncIterator() -> Iterator { Iterator(ledger: ledger) }

  /// Looks again whenever the ledger changed.
  public struct Iterator: AsyncIteratorProtocol {
    let ledger: Ledger
    private var seen: Set<PromiseID> = []
    private var waiting: [PromiseRecord] = []

    init(ledger: Ledger) {
      self.ledger = ledger
    }

    /// The next stale promise.
    public mutating func next() async throws -> PromiseRecord? {
      while true {
        if !waiting.isEmpty { return waiting.removeFirst() }
        do {
          let position = try await ledger.catchUp()
          let stale = try await ledger.stalePromises()
          waiting = stale.filter { !seen.contains($0.id) }
          seen = Set(stale.map(\.id))
          if waiting.isEmpty { try await ledger.engine.advance(past: position) }
        } catch let error as LedgerError where error.code == .closed {
          return nil
        }
      }
    }
  }
}

@available(*, unavailable)
extension StalePromiseSequence.Iterator: Sendable {}
