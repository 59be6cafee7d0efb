import LedgerLMDB
import LedgerSystem
import Synchronization

extension Ledger {
  /// Opens a ledger for looking only: no session, no event, no signal, no consumption.
  ///
  /// A process may inspect a ledger that it has open, and open one that it inspects. Until it is
  /// closed, an inspection keeps the files open and holds a lock, so close it before the process is
  /// suspended, as you freeze the ledger. Closing it ends what it counts or replays, and a verification
  /// that still looks at pages; one that reads events, and an export, come to their ends first.
  ///
  /// - Parameters:
  ///   - path: The directory of the ledger.
  ///   - locking: Whether the reader registers in LMDB's lock file. Without it a directory can be
  ///     read that this process may not write to; while another process writes, what is read may
  ///     then change underneath, so use it only on a ledger that nobody has open.
  /// - Throws: ``LedgerError`` with `notALedger`, `incompatibleFormat`, `corrupt`,
  ///   `permissionDenied`, `tooManyReaders`, `ioFailure`, `invalidArgument`.
  public static func inspect(
    at path: String, locking: Bool = true
  ) throws(LedgerError) -> LedgerInspector {
    try LedgerInspector(LedgerDirectory(checking: path), locking: locking)
  }
}

/// A ledger that is looked at and not used.
public final class LedgerInspector: Sendable {
  private let path: String
  private let configuration: Configuration
  let directory: LedgerDirectory
  let metadata: LedgerMetadata
  /// `nil` once it is closed.
  private let environment: Mutex<Environment?>
  private let forkGuard = ForkGuard()
  /// Whether the pages of the file were looked at.
  private let isChecked = Atomic<Bool>(false)

  /// The ledger's id.
  public var id: LedgerID { metadata.ledgerID }

  /// The version of its file format.
  public var formatVersion: UInt32 { metadata.formatVersion }

  /// When it was created.
  public var createdAt: Timestamp { metadata.createdAt }

  init(_ directory: LedgerDirectory, locking: Bool) throws(LedgerError) {
    self.directory = directory
    let generation = try directory.readCurrentGeneration()
    path = directory.generation(generation)
    configuration = Configuration(
      access: locking ? .readOnly : .readOnlyWithoutLock, yieldsToOthers: true)
    let opened = try Self.open(path, configuration)
    environment = Mutex(opened)
    let log = LMDBLog(opened)
    metadata = try log.metadata()
    // The mark comes first: a session may commit at any time.
    let mark = try AcknowledgedMark(
      of: metadata.ledgerID, in: directory, generation: generation)
    let acknowledged = mark.position(inFile: directory.wake)
    // A ledger that contradicts itself can be verified, so what reads it says so.
    if acknowledged != nil, let head = try? log.head() {
      try AcknowledgedMark.check(acknowledged, isIn: head)
    }
  }

  private static func open(
    _ path: String, _ configuration: Configuration
  ) throws(LedgerError) -> Environment {
    do throws(LMDBError) {
      return try openTables(path, configuration)
    } catch {
      throw LedgerError(error)
    }
  }

  /// Lets go of the files. What is asked afterwards gets ``LedgerError/Code/closed``; closing twice
  /// is harmless. An inspection that is let go closes, too.
  public func close() {
    // What a forked child inherited is its parent's to close.
    guard !forkGuard.isForkedChild else { return }
    let last = environment.withLock { environment in
      defer { environment = nil }
      return environment
    }
    // Throws only inside a transaction of this thread, which cannot be here.
    try? last?.close()
  }

  /// Reads; again if meanwhile a ledger of this process needed the environment for itself. Such a
  /// read fails before it begins, so nothing is handed over twice.
  func reading<R>(
    _ body: (LMDBLog) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try readingEnvironment { (environment) throws(LedgerError) in try body(LMDBLog(environment)) }
  }

  /// Reads in one transaction that `body` begins.
  ///
  /// - Parameter checksPages: Whether the pages of the file are looked at first, unless they were.
  func readingEnvironment<R>(
    checksPages: Bool = true, _ body: (Environment) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    while true {
      let environment = try current()
      do throws(LedgerError) {
        if checksPages { try checkPages(of: environment) }
        return try body(environment)
      } catch {
        guard error.code == .closed || error.isPanic else { throw error }
        if error.isPanic { try? environment.close() }
      }
    }
  }

  /// Refuses a file that could end this process inside LMDB, as far as it is looked at quickly.
  ///
  /// What is whole and lacks entries can be read: reading finds out what is missing.
  private func checkPages(of environment: Environment) throws(LedgerError) {
    guard !isChecked.load(ordering: .relaxed) else { return }
    do throws(LMDBError) {
      _ = try environment.checkTrees(.bounded, tables: LedgerTables.descriptions)
    } catch {
      throw LedgerError(error)
    }
    isChecked.store(true, ordering: .relaxed)
  }

  /// Looks at every page of the file.
  ///
  /// - Returns: What lacks entries, and can be read all the same.
  /// - Throws: `corrupt` if a page is so damaged that it must not be read.
  func checkAllPages(_ tick: () -> Void) throws(LedgerError) -> LedgerError? {
    try readingEnvironment(checksPages: false) { (environment) throws(LedgerError) in
      do throws(LMDBError) {
        let miscount = try environment.checkTrees(
          .everything(), tables: LedgerTables.descriptions, tick: tick)
        isChecked.store(true, ordering: .relaxed)
        return miscount.map { LedgerError($0) }
      } catch {
        throw LedgerError(error)
      }
    }
  }

  /// Reads everything in one transaction. What a caller's code throws in it comes out as it is.
  func readingInOneTransaction<R>(
    _ body: (borrowing ReadTransaction, LedgerTables, Environment) throws -> R
  ) throws -> R {
    var outcome: Result<R, any Error>?
    try readingEnvironment { (environment) throws(LedgerError) in
      let tables = LedgerTables(environment)
      try LedgerError.mapping {
        try environment.read { transaction in
          do {
            outcome = .success(try body(transaction, tables, environment))
          } catch {
            outcome = .failure(error)
          }
        }
      }
    }
    guard let outcome else { throw LedgerError.storeClosed }
    do {
      return try outcome.get()
    } catch let error as LMDBError {
      throw LedgerError(error)
    } catch let error as SystemError {
      throw LedgerError.mapping(error)
    }
  }

  /// Reads in one view, in which a compaction takes nothing away; in another one from the start, if
  /// meanwhile somebody of this process waits for the first one to end.
  func readingView<R>(
    _ body: (PinnedLog) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    while true {
      do throws(LedgerError) {
        return try LedgerError.mapping {
          try readingInOneTransaction { transaction, tables, environment in
            try PinnedLog.with(transaction, tables, until: { environment.isAwaited }, body)
          }
        }
      } catch {
        guard error.code == .viewTaken else { throw error }
      }
    }
  }

  /// The environment, opened again if it was taken away.
  private func current() throws(LedgerError) -> Environment {
    try LedgerError.mapping { try forkGuard.refuseForkedChild(path: path) }
    return try environment.withLock { (environment) throws(LedgerError) in
      guard let open = environment else {
        throw LedgerError(.closed, "The inspection was closed. Begin another.")
      }
      guard open.isClosed else { return open }
      let anew = try Self.open(path, configuration)
      environment = anew
      return anew
    }
  }

  private static func openTables(
    _ path: String, _ configuration: Configuration
  ) throws(LMDBError) -> Environment {
    do throws(LMDBError) {
      return try Environment.open(
        at: path, configuration: configuration, tables: LedgerTables.descriptions)
    } catch {
      // One that only builds without snapshots wrote lacks tables, and looking makes none.
      guard error.operation == .openTable, error.status == .notFound else { throw error }
      return try Environment.open(
        at: path, configuration: configuration, tables: LedgerTables.firstDescriptions)
    }
  }

  /// The position of the last event.
  ///
  /// - Throws: ``LedgerError`` with `closed`, `corrupt`, `ioFailure`.
  public var head: Position {
    get throws(LedgerError) { try reading { (log) throws(LedgerError) in try log.head() } }
  }

  /// The events after a position, at most about `limit`: the last frame is handed over whole.
  ///
  /// - Returns: None if there are none after `position`.
  /// - Throws: ``LedgerError`` with `corrupt` if the next event is damaged. One further on ends the
  ///   events that are handed over, so that none before it is lost.
  public func events(
    after position: Position = .start, limit: Int = 1_000
  ) throws(LedgerError) -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    do throws(LedgerError) {
      try reading { (log) throws(LedgerError) in
        _ = try log.read(after: position, limit: limit) { (frame) throws(LedgerError) in
          try frame.forEachEvent(after: position) { event in
            events.append(LedgerEvent(copying: event))
          }
        }
      }
    } catch {
      guard error.code == .corrupt, !events.isEmpty else { throw error }
    }
    return events
  }

  /// What is stored beside an event because it is large.
  ///
  /// - Throws: ``LedgerError`` with `corrupt` if it is damaged; with `eventsCompacted` if the event was
  ///   deleted meanwhile.
  public func attachment(of event: LedgerEvent) throws(LedgerError) -> [UInt8] {
    guard event.attachmentByteCount > 0 else { return [] }
    do throws(LedgerError) {
      return try log.attachment(of: event.position, byteCount: event.attachmentByteCount)
    } catch {
      // The event was there when it was read.
      let deleted = try log.snapshotSummary().deletedThrough
      guard error.code == .corrupt, event.position <= deleted else { throw error }
      throw .eventsCompacted(after: event.position, through: deleted)
    }
  }
}
