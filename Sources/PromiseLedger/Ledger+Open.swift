import LedgerSystem
import Logging

extension Ledger {
  /// Opens the ledger in a directory, or creates it if nothing is there.
  ///
  /// The caller promises:
  /// - The directory is on a local disk, not on a network file system.
  /// - Nobody but this library touches the files inside while a process has the ledger open. Above
  ///   all nobody opens and closes `lock.mdb` (a backup, a virus scanner): that drops locks of the
  ///   process that does it, and two writers at once destroy the ledger.
  /// - After `fork`, the child runs a program (`exec`) that opens the ledger anew: tasks do not run in
  ///   a forked child.
  /// - A process with a limit on the size of its files (`RLIMIT_FSIZE`) ignores the signal `SIGXFSZ`.
  ///   Otherwise the system ends it when the ledger reaches the limit; so it is `diskFull`. The
  ///   library changes no signal of the process.
  /// - All processes see each other's process ids: no two containers with separate id spaces.
  ///
  /// Opening replays the events once, ends sessions whose processes are gone, and applies
  /// ``LedgerConfiguration/stalePromisePolicy``.
  ///
  /// - Parameters:
  ///   - path: The directory; its parent must exist.
  ///   - role: What the session may do.
  ///   - configuration: How it is used.
  /// - Throws: ``LedgerError`` with `notALedger`, `incompatibleFormat`, `corrupt`,
  ///   `permissionDenied`, `networkFileSystem`, `diskFull`, `writerStalled`, `sealed`,
  ///   `tooManyReaders`, `invalidArgument`; with `notFound` if the directory that must hold a new ledger
  ///   is missing; with `ioFailure` also if the process may not have enough address space for the
  ///   ledger's threads: raise its limit (`RLIMIT_AS`, in a shell `ulimit -v`).
  /// - Complexity: O(events since the snapshot).
  public static func open(
    at path: String, as role: SessionRole,
    configuration: LedgerConfiguration = LedgerConfiguration()
  ) async throws -> Ledger {
    try LedgerError.system("There is no address space for the threads of the ledger.") {
      () throws(SystemError) in try ThisProcess.checkRoomForTasks()
    }
    let directory = try LedgerDirectory(checking: path)
    let now = configuration.clock.now()
    let newLedgerID = LedgerID(entityID: configuration.idGenerator.makeID(at: now))
    let options = try StoreOptions(checking: configuration)
    if let hazard = LMDBEventStore.knownHazard { configuration.logger.warning("\(hazard)") }
    let pageCheck = configuration.pageCheck
    let openStore = { @Sendable () throws(LedgerError) -> any EventStore in
      var options = options
      if pageCheck.isDue(in: directory) { options.checksEveryPage() }
      return try LMDBEventStore.openOrCreate(
        directory, options: options, newLedgerID: newLedgerID, now: now)
    }
    return try await open(openStore, directory, as: role, configuration: configuration)
  }

  /// Opens a ledger that is kept in another store.
  package static func open(
    _ openStore: @escaping @Sendable () throws(LedgerError) -> any EventStore,
    _ directory: LedgerDirectory?, as role: SessionRole, configuration: LedgerConfiguration
  ) async throws -> Ledger {
    try TextLimit.instance.check(configuration.instance)
    let now = configuration.clock.now()
    let engine = try await LedgerEngine.open(
      LedgerEngine.Setup(
        openStore: openStore,
        directory: directory,
        session: SessionID(entityID: configuration.idGenerator.makeID(at: now)),
        opened: SessionOpened(
          role: role, processID: ThisProcess.id, instance: configuration.instance,
          host: ThisProcess.hostName, libraryVersion: LibraryVersion.current),
        clock: configuration.clock,
        stallTimeout: configuration.writerStallTimeout,
        pollInterval: configuration.pollInterval,
        maximumWaitingCommandCount: configuration.maximumWaitingCommandCount,
        waitsWhileFrozen: configuration.waitsWhileFrozen,
        automaticCompaction: role == .app ? configuration.automaticCompaction : nil,
        hooks: configuration.hooks,
        logger: configuration.logger))
    do {
      let id = try await engine.withStore { (store) throws(LedgerError) in store.ledgerID }
      let ledger = Ledger(engine: engine, configuration: configuration, id: id)
      if role == .app { try await ledger.applyStalePolicy() }
      if configuration.unfinishedCallPolicy == .retry { RetryWatch(ledger).start() }
      return ledger
    } catch {
      await engine.close()
      throw error
    }
  }
}

extension StoreOptions {
  fileprivate init(checking configuration: LedgerConfiguration) throws(LedgerError) {
    let smallest = 8 << 20
    guard configuration.sizeLimitInBytes >= smallest else {
      throw LedgerError(
        .invalidArgument,
        "The size limit is \(configuration.sizeLimitInBytes) bytes; it must be at least \(smallest)."
      )
    }
    guard configuration.pollInterval >= .milliseconds(500) else {
      throw LedgerError(
        .invalidArgument, "The poll interval must be at least 500 ms, to let the device sleep.")
    }
    guard configuration.maximumWaitingCommandCount >= 1 else {
      throw LedgerError(.invalidArgument, "At least one command must be allowed to wait.")
    }
    guard (1...65_536).contains(configuration.maximumReaderCount) else {
      throw LedgerError(
        .invalidArgument,
        "The number of readers is \(configuration.maximumReaderCount); it must be between 1 and 65536."
      )
    }
    self.init(
      sizeLimit: configuration.sizeLimitInBytes, environment: configuration.environment,
      maximumReaderCount: configuration.maximumReaderCount,
      hooks: configuration.hooks)
  }
}
