extension Ledger {
  /// Whose promises are meant: those of one instance of the app, or of all that share the ledger.
  ///
  /// A promise is of the instance that its creating session was opened with; see
  /// ``LedgerConfiguration/instance``.
  public struct Instances: Sendable, Hashable {
    fileprivate enum Choice: Sendable, Hashable {
      case own, all
      case named(String)
    }

    fileprivate let choice: Choice

    /// The instance of this session.
    public static let own = Instances(choice: .own)

    /// Every instance. Only here are promises whose creating session has no record any more.
    public static let all = Instances(choice: .all)

    /// The instance with a name, such as one that no app is opened with any more.
    public static func named(_ name: String) -> Instances { Instances(choice: .named(name)) }
  }

  /// The stale promises, in the order of their creation: resolved, not consumed, and with
  /// no task left that could be waiting.
  ///
  /// A promise is stale if its creating session ended or was of the role `appExtension`, and no
  /// task of this process waits for it. Those of other instances are left to their apps.
  ///
  /// - Parameter instances: Whose promises are wanted; by default those of this session's instance.
  /// - Throws: ``LedgerError`` with `roleMayNotConsume` in any role but `app`.
  /// - Complexity: O(n) in the number of unconsumed promises.
  public func stalePromises(of instances: Instances = .own) async throws -> [PromiseRecord] {
    try requireApp()
    return try await records.promiseRecords(of: try await staleEntities(rule(for: instances)))
  }

  /// Every stale promise of this session's instance, once, now and as long as the sequence is
  /// iterated.
  ///
  /// The same as ``stalePromiseUpdates(of:)`` with its default.
  public var stalePromiseUpdates: StalePromiseSequence { stalePromiseUpdates() }

  /// Every stale promise, once, now and as long as the sequence is iterated.
  ///
  /// - Parameter instances: Whose promises are wanted; by default those of this session's instance.
  public func stalePromiseUpdates(of instances: Instances = .own) -> StalePromiseSequence {
    StalePromiseSequence(ledger: self, rule: rule(for: instances))
  }

  /// The promises that are likely to stay pending for ever, in the order of their creation: without a
  /// deadline, created by a session that ended or was of the role `appExtension`, and with no handler
  /// left that could settle them.
  ///
  /// A handler that can be called, or of which a call is not finished, may settle the promises in its
  /// arguments. A promise that your code settles by its id or key, without a handler, cannot be told
  /// from one that was forgotten, and is listed, too. Abandon, cancel or reject what nothing will
  /// settle; a user interface would show it as a spinner that never stops.
  ///
  /// - Parameter instances: Whose promises are wanted; by default those of this session's instance.
  /// - Throws: ``LedgerError`` with `closed`: open the ledger again; `frozen` if
  ///   ``LedgerConfiguration/waitsWhileFrozen`` is false: unfreeze it; `corrupt`: restore it from a copy.
  /// - Complexity: O(n) in the number of unconsumed promises and open handlers.
  public func orphanedPromises(of instances: Instances = .own) async throws -> [PromiseRecord] {
    let rule = rule(for: instances)
    let orphaned = try await engine.read(fromCopy: true) { state in
      let (open, referenced) = (try state.openPromises(), try state.promisesOfOpenHandlers())
      var state = state
      try state.requireCreators(of: open)
      return try open.filter { promise in
        try rule.isOrphaned(promise, in: state) && !referenced.contains(promise.id)
      }
    }
    return try await records.promiseRecords(of: orphaned)
  }

  private func staleEntities(_ rule: LeftPromiseRule) async throws -> [PromiseEntity] {
    let engine = engine
    return try await engine.read(fromCopy: true) { state in
      let open = try state.openPromises()
      var state = state
      try state.requireCreators(of: open)
      return try open.filter { try rule.isStale($0, in: state) }
    }.filter { !engine.replica.isAwaited($0.id) }
  }

  private func rule(for instances: Instances) -> LeftPromiseRule {
    switch instances.choice {
    case .own: LeftPromiseRule(instance: instance)
    case .all: LeftPromiseRule(instance: nil)
    case .named(let name): LeftPromiseRule(instance: name)
    }
  }

  /// Refuses the roles to which an outcome is not offered.
  func requireApp() throws(LedgerError) {
    guard role == .app else {
      throw LedgerError(.roleMayNotConsume, "Only the app is offered stale promises.")
    }
  }

  func applyStalePolicy() async throws {
    let rule = rule(for: .own)
    switch configuration.stalePromisePolicy {
    case .keep:
      return
    case .surface(let surface):
      for record in try await records.promiseRecords(of: try await staleEntities(rule)) {
        await surface(record)
      }
    case .abandonFulfilled:
      for entity in try await staleEntities(rule) where entity.resolution?.outcome == .fulfilled {
        try await abandon(entity.id, reason: "stale when the app opened the ledger")
      }
    }
  }
}
