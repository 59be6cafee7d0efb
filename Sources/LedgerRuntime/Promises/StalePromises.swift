extension Ledger {
  /// A choice of promises by instance: one instance of the app, or all that share the ledger.
  ///
  /// A promise belongs to the instance of the session that created it; see ``LedgerConfiguration/instance``.
  public struct Instances: Sendable, Hashable {
    fileprivate enum Choice: Sendable, Hashable {
      case own, all
      case named(String)
    }

    fileprivate let choice: Choice

    /// The instance of this session.
    public static let own = Instances(choice: .own)

    /// Every instance. Only this choice includes promises whose creating session no longer has a record.
    public static let all = Instances(choice: .all)

    /// The instance with a name, such as one that no app uses any more.
    public static func named(_ name: String) -> Instances { Instances(choice: .named(name)) }
  }

  /// The stale promises, in the order of their creation: resolved, not consumed, and with no task left that
  /// could wait for them.
  ///
  /// A promise is stale if its creating session ended or had the role `appExtension`, and no task of this
  /// process waits for it. Promises of other instances are left to their apps.
  ///
  /// - Parameter instances: The instances to include; by default this session's instance.
  /// - Throws: ``LedgerError`` with `roleMayNotConsume` in any role other than `app`.
  /// - Complexity: O(n) in the number of unconsumed promises.
  public func stalePromises(of instances: Instances = .own) async throws -> [PromiseRecord] {
    try requireApp()
    return try await records.promiseRecords(of: try await staleEntities(rule(for: instances)))
  }

  /// Every stale promise of this session's instance, once, including those that become stale during the
  /// iteration.
  ///
  /// The same as ``stalePromiseUpdates(of:)`` with its default.
  public var stalePromiseUpdates: StalePromiseSequence { stalePromiseUpdates() }

  /// Every stale promise, once, including those that become stale during the iteration.
  ///
  /// - Parameter instances: The instances to include; by default this session's instance.
  public func stalePromiseUpdates(of instances: Instances = .own) -> StalePromiseSequence {
    StalePromiseSequence(ledger: self, rule: rule(for: instances))
  }

  /// The promises that are likely to stay pending forever, in the order of their creation.
  ///
  /// These have no deadline, were created by a session that ended or had the role `appExtension`, and have no
  /// handler or work left that could settle them. A handler that can be called or has an unfinished call may
  /// settle the promises in its arguments, and so may work that has not ended. A promise that your code settles
  /// by its id or key, without a handler, looks the same as a forgotten one, so it is listed, too. Abandon,
  /// cancel or reject promises that will never be settled; in a user interface, each would be a spinner that
  /// never stops.
  ///
  /// - Parameter instances: The instances to include; by default this session's instance.
  /// - Throws: ``LedgerError`` with `closed`: open the ledger again; `frozen` if
  ///   ``LedgerConfiguration/waitsWhileFrozen`` is false: unfreeze it; `corrupt`: restore it from a copy.
  /// - Complexity: O(n) in the number of unconsumed promises and open handlers.
  public func orphanedPromises(of instances: Instances = .own) async throws -> [PromiseRecord] {
    let rule = rule(for: instances)
    let orphaned = try await engine.read(fromCopy: true) { state in
      let (open, referenced) = (try state.openPromises(), try state.promisesOfOpenCode())
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
      let open = try state.openPromisesAndWork()
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

  /// Rejects roles that may not receive outcomes.
  func requireApp() throws(LedgerError) {
    guard role == .app else {
      throw LedgerError(
        .roleMayNotConsume, "Only a session of the role app may take stale promises.")
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
