import LedgerSystem
import Logging

extension Ledger {
  /// Opens the ledger in a directory, or creates it if the directory is missing or empty.
  ///
  /// The caller promises:
  /// - The directory is on a local disk, not on a network file system.
  /// - Only this library touches the files inside while a process has the ledger open. Above all, no other
  ///   code, such as a backup or a virus scanner, opens and closes `lock.mdb`: this drops the locks of the
  ///   process that does it, and two simultaneous writers destroy the ledger.
  /// - After `fork`, the child runs a program (`exec`) that opens the ledger again: tasks do not run in a
  ///   forked child.
  /// - A process with a limit on the size of its files (`RLIMIT_FSIZE`) ignores the signal `SIGXFSZ`.
  ///   Otherwise the system ends the process when the ledger reaches the limit; if ignored, the error is
  ///   `diskFull`. The library does not change the signal handling of the process.
  /// - All processes see each other's process ids. They do not run in containers with separate process id
  ///   namespaces.
  ///
  /// Opening replays the events once, ends sessions whose processes are gone, and applies
  /// ``LedgerConfiguration/stalePromisePolicy``.
  ///
  /// - Parameters:
  ///   - path: The directory; its parent must exist.
  ///   - role: The role of the session, which determines its permissions.
  ///   - configuration: The options of the session.
  /// - Throws: ``LedgerError`` with `notALedger`, `incompatibleFormat`, `corrupt`, `permissionDenied`,
  ///   `networkFileSystem`, `diskFull`, `writerStalled`, `sealed`, `tooManyReaders`, `invalidArgument`; with
  ///   `notFound` if the parent directory of a new ledger is missing; with `ioFailure`, including when the
  ///   process lacks address space for the ledger's threads: raise its limit (`RLIMIT_AS`, in a shell `ulimit
  ///   -v`).
  /// - Complexity: O(events since the snapshot).
  public static func open(
    at path: String, as role: SessionRole,
    configuration: LedgerConfiguration = LedgerConfiguration()
  ) async throws -> Ledger {
    try LedgerError.system("There is no address space for the threads of the ledger.") {
      () throws(SystemError) in try ThisProcess.checkRoomForTasks()
    }
    let directory = try LedgerDirectory(checking: path)
    let now = configuration.timeForIDs
    let newLedgerID = LedgerID(entityID: configuration.idGenerator.makeID(at: now))
    let options = try StoreOptions(checking: configuration.files)
    if let hazard = LMDBEventStore.knownHazard { configuration.logger.warning("\(hazard)") }
    let pageCheck = configuration.pageCheck
    let openStore = { @Sendable () throws(LedgerError) -> any EventStore in
      var options = options
      if pageCheck.isDue(in: directory) { options.checksEveryPage() }
      return try LMDBEventStore.openOrCreate(
        directory, options: options, newLedgerID: newLedgerID, now: now)
    }
    return try await open(
      openStore, FileSessionRegistry(in: directory), as: role, configuration: configuration)
  }
}

extension StoreOptions {
  fileprivate init(checking files: FileOptions) throws(LedgerError) {
    guard files.sizeLimitInBytes >= FileOptions.smallestSizeLimitInBytes else {
      throw LedgerError(
        .invalidArgument,
        "The size limit is \(files.sizeLimitInBytes) bytes; it must be at least \(FileOptions.smallestSizeLimitInBytes)."
      )
    }
    guard (0...FileOptions.maximumGrowthInBytes).contains(files.largestGrowthInBytes) else {
      throw LedgerError(
        .invalidArgument,
        "The largest growth of the file is \(files.largestGrowthInBytes) bytes; it must be between 0 and \(FileOptions.maximumGrowthInBytes)."
      )
    }
    guard (1...FileOptions.largestReaderCount).contains(files.maximumReaderCount) else {
      throw LedgerError(
        .invalidArgument,
        "The number of readers is \(files.maximumReaderCount); it must be between 1 and \(FileOptions.largestReaderCount)."
      )
    }
    self.init(
      sizeLimit: files.sizeLimitInBytes, largestGrowth: files.largestGrowthInBytes,
      environment: files.environment, maximumReaderCount: files.maximumReaderCount,
      hooks: files.hooks)
  }
}
