import LedgerSystem
import Logging

extension Ledger {
  /// Opens a ledger that is kept in a store of your own, and creates it if it has no event.
  ///
  /// - Parameters:
  ///   - openStore: Opens the store. It is called again at each ``unfreeze()``, on the thread that writes.
  ///   - sessions: The registry of the ledger's sessions.
  ///   - role: What the session may do.
  ///   - configuration: The options of the session.
  /// - Throws: ``LedgerError`` with `invalidArgument` if the configuration has an invalid value; the errors of the store
  ///   and of the registry.
  public static func open(
    _ openStore: @escaping @Sendable () throws(LedgerError) -> any EventStore,
    _ sessions: any SessionRegistry, as role: SessionRole,
    configuration: LedgerConfiguration = LedgerConfiguration()
  ) async throws -> Ledger {
    try configuration.check()
    let now = configuration.timeForIDs
    let compactor =
      role == .app ? configuration.automaticCompaction.map(AutomaticCompactor.init) : nil
    let engine = try await LedgerEngine.open(
      LedgerEngine.Setup(
        openStore: openStore,
        sessions: sessions,
        session: SessionID(entityID: configuration.idGenerator.makeID(at: now)),
        opened: SessionOpened(
          role: role, processID: ThisProcess.id, instance: configuration.instance,
          host: ThisProcess.hostName, libraryVersion: Ledger.libraryVersion),
        clock: configuration.clock,
        stallTimeout: configuration.writerStallTimeout,
        freezeTimeout: configuration.freezeTimeout,
        pollInterval: configuration.pollInterval,
        maximumWaitingCommandCount: configuration.maximumWaitingCommandCount,
        maximumQueuedWorkCount: configuration.maximumQueuedWorkCount,
        waitsWhileFrozen: configuration.waitsWhileFrozen,
        committed: compactor?.compactIfNeeded,
        hooks: configuration.hooks,
        logger: configuration.logger))
    do {
      let id = try await engine.withStore { store in store.ledgerID }
      let ledger = Ledger(engine: engine, configuration: configuration, id: id)
      if role == .app { try await ledger.applyStalePolicy() }
      if configuration.unfinishedCallPolicy == .retry { RetryWatch(ledger).start() }
      try ledger.startRunner()
      return ledger
    } catch {
      await engine.close()
      throw error
    }
  }
}

extension LedgerConfiguration {
  /// The shortest interval at which a session may look for changes: the device must be able to sleep.
  static let shortestPollInterval = Duration.milliseconds(500)

  /// Rejects invalid values.
  fileprivate func check() throws(LedgerError) {
    try TextLimit.instance.check(instance)
    guard pollInterval >= Self.shortestPollInterval else {
      throw LedgerError(
        .invalidArgument, "The poll interval must be at least 500 ms, to let the device sleep.")
    }
    guard freezeTimeout >= .zero else {
      throw LedgerError(.invalidArgument, "The time limit of a freeze must not be negative.")
    }
    guard maximumWaitingCommandCount >= 1 else {
      throw LedgerError(
        .invalidArgument, "The maximum count of waiting commands must be at least 1.")
    }
    guard maximumQueuedWorkCount ?? 1 >= 1 else {
      throw LedgerError(
        .invalidArgument,
        "The maximum count of queued work must be at least 1. Leave it out for any amount.")
    }
  }
}
