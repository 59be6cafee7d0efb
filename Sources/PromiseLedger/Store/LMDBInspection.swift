import LedgerLMDB
import LedgerSystem
import Synchronization

/// The LMDB environment of a ledger that is inspected without a session.
package final class LMDBInspection: InspectedStore, ForwardingSource {
  let directory: LedgerDirectory
  private let configuration: Configuration
  package let sessions: any SessionRegistry
  package let metadata: LedgerMetadata
  /// The files; `nil` once the inspection is closed.
  private let files: Mutex<InspectedFiles?>
  /// Whether to move on when a shrink moves the ledger to other files.
  private let follows: Bool
  private let forkGuard = ForkGuard()
  /// The error is made before any fork: in a forked child, making it could wait forever for a lock of the
  /// Swift runtime that another thread of its parent held.
  private let forkRefusal: LedgerError
  /// Whether the pages of the file have been checked.
  private let isChecked = Atomic<Bool>(false)

  /// Opens the generation in use, and moves on with it.
  package convenience init(of directory: LedgerDirectory, locking: Bool) throws(LedgerError) {
    try self.init(of: directory, generation: nil, locking: locking)
  }

  /// Opens one generation of a ledger.
  ///
  /// - Parameter generation: The name of its directory; `nil` for the one in use.
  init(
    of directory: LedgerDirectory, generation: String?, locking: Bool
  ) throws(LedgerError) {
    self.directory = directory
    sessions = FileSessionRegistry(in: directory)
    let configuration = Configuration(
      access: locking ? .readOnly : .readOnlyWithoutLock, yieldsToOthers: true)
    let opened = try Self.openFiles(of: directory, generation, configuration)
    if generation == nil {
      try UnusedGenerations.refuseNewer(than: opened.generation, in: directory)
    }
    self.configuration = configuration
    follows = generation == nil
    forkRefusal = LedgerError(
      ForkGuard.refusal(path: directory.generation(opened.generation)))
    files = Mutex(opened)
    metadata = opened.metadata
    // The mark is read first, because a session may commit at any time.
    let acknowledged = opened.mark.position(inFile: directory.wake)
    // An inconsistent ledger can still be verified, so reads report the problem.
    if acknowledged != nil, let head = try? head() {
      try AcknowledgedMark.check(acknowledged, isIn: head)
    }
  }

  private static func openFiles(
    of directory: LedgerDirectory, _ generation: String?, _ configuration: Configuration
  ) throws(LedgerError) -> InspectedFiles {
    let open = { (name: String) throws(LedgerError) -> InspectedFiles in
      let path = directory.generation(name)
      let (environment, metadata) = try openWithMetadata(path, configuration)
      let mark = try AcknowledgedMark(of: metadata.ledgerID, in: directory, generation: name)
      return InspectedFiles(
        generation: name, environment: environment, mark: mark, metadata: metadata)
    }
    if let generation { return try open(generation) }
    return try directory.withCurrentGeneration(open)
  }

  private static func open(
    _ path: String, _ configuration: Configuration
  ) throws(LedgerError) -> Environment {
    while true {
      do throws(LMDBError) {
        return try openTables(path, configuration)
      } catch {
        // A ledger of this process may need exclusive use of the environment while it is being opened.
        guard error.refusal == .closed else { throw LedgerError(error) }
      }
    }
  }

  private static func openWithMetadata(
    _ path: String, _ configuration: Configuration
  ) throws(LedgerError) -> (Environment, LedgerMetadata) {
    while true {
      let environment = try open(path, configuration)
      do throws(LedgerError) {
        return (environment, try LMDBLog(environment).metadata())
      } catch {
        guard error.code == .closed else { throw error }
      }
    }
  }

  package func close() {
    // An environment that a forked child inherited is for its parent to close.
    guard !forkGuard.isForkedChild else { return }
    let last = files.withLock { files in
      defer { files = nil }
      return files?.environment
    }
    // This throws only inside a transaction of this thread, as when the sink of an export closes. The last
    // reference to the environment then closes it, after the request.
    try? last?.close()
  }

  /// Reads, and retries if a ledger of this process needed exclusive use of the environment meanwhile. Such a
  /// read fails before it begins, so no data is delivered twice.
  func reading<R>(
    _ body: (LMDBLog) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try readingEnvironment { (environment) throws(LedgerError) in try body(LMDBLog(environment)) }
  }

  /// Reads in one transaction that `body` begins.
  ///
  /// - Parameter checksPages: Whether to check the pages of the file first, unless they have been checked.
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

  /// Rejects a file that could crash this process inside LMDB, as far as a quick check detects.
  ///
  /// A structurally sound file that lacks entries can be read: reading detects the missing entries.
  private func checkPages(of environment: Environment) throws(LedgerError) {
    guard !isChecked.load(ordering: .relaxed) else { return }
    _ = try LedgerError.mappingAll {
      try environment.checkTrees(.bounded, tables: LedgerTables.descriptions)
    }
    isChecked.store(true, ordering: .relaxed)
  }

  package func checkStructure(while goesOn: () -> Bool) throws(LedgerError) -> LedgerError? {
    var isEnded = false
    let miscount = try readingEnvironment(checksPages: false) {
      (environment) throws(LedgerError) -> LMDBError? in
      do throws(LMDBError) {
        return try environment.checkTrees(.everything(), tables: LedgerTables.descriptions) {
          isEnded = isEnded || !goesOn()
          return !isEnded
        }
      } catch {
        // Otherwise it would start over, as if another thread had ended it.
        guard isEnded else { throw LedgerError(error) }
        return nil
      }
    }
    guard !isEnded else { throw LedgerError(.closed, "The check of the pages was ended.") }
    isChecked.store(true, ordering: .relaxed)
    return miscount.map { LedgerError($0) }
  }

  /// Rejects a file with a damaged page, on which LMDB could crash this process, or with missing entries.
  ///
  /// - Parameter tick: Called now and then; an error ends the check.
  func checkEveryPage(_ tick: () throws -> Void) throws {
    var end: (any Error)?
    do {
      let miscount = try checkStructure {
        do { try tick() } catch { end = error }
        return end == nil
      }
      if let miscount { throw miscount }
    } catch {
      throw end ?? error
    }
  }

  /// Reads everything in one transaction. An error that the caller's code throws in it is rethrown unchanged.
  func readingInOneTransaction<R>(
    _ body: (borrowing ReadTransaction, LedgerTables, Environment) throws -> R
  ) throws -> R {
    var outcome: Result<R, any Error>?
    try readingEnvironment { (environment) throws(LedgerError) in
      let tables = LedgerTables(environment)
      try LedgerError.mappingAll {
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
      throw LedgerError.mappingAll(error)
    }
  }

  /// Reads in one view, from which a compaction removes nothing. If another thread of this process waits for
  /// that view to end, reading starts over in a new view.
  func readingView<R>(
    _ body: (PinnedLog) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    while true {
      do throws(LedgerError) {
        return try LedgerError.mappingAll {
          try readingInOneTransaction { transaction, tables, environment in
            try PinnedLog.with(transaction, tables, until: { environment.isAwaited }, body)
          }
        }
      } catch {
        guard error.lookAgain == .viewTaken else { throw error }
      }
    }
  }

  /// The environment of the generation in use, reopened if another part of this process closed it.
  private func current() throws(LedgerError) -> Environment {
    try currentFiles().environment
  }

  private func currentFiles() throws(LedgerError) -> InspectedFiles {
    guard !forkGuard.isForkedChild else { throw forkRefusal }
    while true {
      let open = try openFiles()
      if !open.environment.isClosed, try !isReplaced(open) { return open }
      // Without the lock: opening waits for reads of this process, and these may need the lock to finish.
      let anew = try Self.openFiles(
        of: directory, follows ? nil : open.generation, configuration)
      if replace(open, with: anew) { return anew }
      // Another thread was first, or closed the inspection.
      try? anew.environment.close()
    }
  }

  private func openFiles() throws(LedgerError) -> InspectedFiles {
    guard let open = files.withLock({ $0 }) else {
      throw LedgerError(.closed, "The inspection was closed. Begin another inspection.")
    }
    return open
  }

  /// - Returns: Whether the files were replaced; `false` if they were not those in use any more.
  private func replace(_ old: InspectedFiles, with new: InspectedFiles) -> Bool {
    files.withLock { files in
      guard files?.environment === old.environment else { return false }
      // The old environment is closed by its last reader.
      files = new
      if new.generation != old.generation { isChecked.store(false, ordering: .relaxed) }
      return true
    }
  }

  /// Whether a shrink has moved the ledger to other files.
  private func isReplaced(_ open: InspectedFiles) throws(LedgerError) -> Bool {
    guard follows, open.environment.isSealed else { return false }
    return try directory.readCurrentGeneration() != open.generation
  }

  private static func openTables(
    _ path: String, _ configuration: Configuration
  ) throws(LMDBError) -> Environment {
    do throws(LMDBError) {
      return try Environment.open(
        at: path, configuration: configuration, tables: LedgerTables.descriptions)
    } catch {
      // A ledger that only builds without snapshots wrote lacks tables, and inspecting it creates none.
      guard error.operation == .openTable, error.status == .notFound else { throw error }
      return try Environment.open(
        at: path, configuration: configuration, tables: LedgerTables.firstDescriptions)
    }
  }

  /// The file that shows changes; `nil` for a reader that writes to no file.
  var changesPath: String? { configuration.access == .readOnly ? directory.wake : nil }

  /// The position that was acknowledged last, as far as it is known.
  func acknowledged() throws(LedgerError) -> Position? {
    try currentFiles().mark.position(inFile: directory.wake)
  }

  package func withPinnedView<R>(_ body: (any LedgerSource) throws -> R) throws -> R {
    try readingInOneTransaction { transaction, tables, _ in
      try PinnedLog.with(transaction, tables) { view in try body(view) }
    }
  }
}

// MARK: - Reading

extension LMDBInspection {
  package func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try reading(body)
  }

  package func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try readingView { (view) throws(LedgerError) in try body(view) }
  }
}

/// One generation of a ledger's files, open for inspection.
private struct InspectedFiles: Sendable {
  let generation: String
  let environment: Environment
  let mark: AcknowledgedMark
  let metadata: LedgerMetadata
}
