import LedgerLMDB
import LedgerSystem

extension LMDBEventStore {
  /// Opens the ledger in a directory, or creates it if the directory is missing or empty.
  ///
  /// - Parameter newLedgerID: The id of the ledger if it is created.
  /// - Throws: `notALedger` if the directory holds something else.
  package static func openOrCreate(
    _ directory: LedgerDirectory, options: StoreOptions, newLedgerID: LedgerID, now: Timestamp
  ) throws(LedgerError) -> LMDBEventStore {
    if try directory.isVacant() {
      try create(
        directory, options: options,
        metadata: LedgerMetadata(ledgerID: newLedgerID, createdAt: now))
    }
    return try LMDBEventStore(opening: directory, options: options)
  }

  /// Creates an empty ledger. If another process was faster, its ledger stays.
  private static func create(
    _ directory: LedgerDirectory, options: StoreOptions, metadata: LedgerMetadata
  ) throws(LedgerError) {
    do throws(LedgerError) {
      try construct(directory, environment: options.environment, metadata: metadata) { _ in }
    } catch {
      if error.code != .alreadyExists { throw error }
    }
  }

  /// Builds a ledger next to its final place, makes it durable, and moves it there.
  ///
  /// A process that is killed meanwhile leaves a directory with a temporary name, never half a ledger. The
  /// next process that makes a ledger at that place removes the directory.
  ///
  /// - Parameters:
  ///   - fill: Writes the first events.
  ///   - check: Checks the whole ledger before it is moved to its place.
  /// - Throws: `alreadyExists` if the place was taken meanwhile, and any error that `fill` and `check` throw;
  ///   no ledger is then created.
  static func construct(
    _ directory: LedgerDirectory, environment: Configuration = Configuration(),
    metadata: LedgerMetadata,
    _ fill: (any LedgerConstruction) throws(LedgerError) -> Void,
    check: (LedgerDirectory) throws -> Void = { _ in }
  ) throws(LedgerError) {
    do {
      try construct(
        directory, environment: environment, metadata: metadata,
        filling: { try fill(LMDBConstruction($0)) }, check: check)
    } catch {
      throw LedgerError.mappingAll(error)
    }
  }

  /// Builds a ledger, as ``construct(_:environment:metadata:_:check:)`` does, and rethrows the errors of the
  /// closures unchanged.
  static func construct(
    _ directory: LedgerDirectory, environment: Configuration = Configuration(),
    metadata: LedgerMetadata, filling fill: (Environment) throws -> Void,
    check: (LedgerDirectory) throws -> Void
  ) throws {
    let place = try LedgerPlace(directory)
    do {
      UnfinishedLedger.removeLeftovers(at: place)
      let unfinished = try UnfinishedLedger(at: place)
      try build(unfinished.directory, environment, metadata, fill)
      try check(unfinished.directory)
      do throws(SystemError) {
        // Replaces at most an empty directory.
        try unfinished.move()
      } catch {
        switch error.code {
        case .exists, .directoryNotEmpty, .notDirectory:
          throw LedgerError.somethingIs(at: directory.path)
        default: throw error
        }
      }
    } catch let error as SystemError {
      throw LedgerError(error, "The ledger cannot be created at \(directory.path).")
    } catch let error as LMDBError {
      throw LedgerError(error)
    }
  }

  private static func build(
    _ directory: LedgerDirectory, _ configuration: Configuration, _ metadata: LedgerMetadata,
    _ fill: (Environment) throws -> Void
  ) throws {
    let generation = directory.generation(LedgerDirectory.firstGeneration)
    try FileSystem.createDirectory(generation)
    try FileSystem.createDirectory(directory.sessions)
    var creation = configuration
    creation.access = .readWrite
    creation.createsDataFile = true
    let environment = try Environment.open(
      at: generation, configuration: creation, tables: LedgerTables.descriptions)
    defer { try? environment.close() }
    let table = try environment.table(named: "meta")
    let (key, record) = (LedgerMetadata.key, metadata.encoded)
    try environment.write { transaction in
      try transaction.put(record.span, forKey: key.span, in: table)
    }
    try fill(environment)
    try environment.close()
    try FileSystem.syncFile(generation + "/data.mdb")
    try FileSystem.syncDirectory(generation)
    try SharedWords(path: directory.wake).close()
    try FileLock.open(directory.gate).close()
    try FileLock.open(directory.compaction).close()
    try FileSystem.writeAtomically(
      LedgerDirectory.currentContent(LedgerDirectory.firstGeneration), to: directory.current)
    try FileSystem.syncDirectory(directory.path)
  }
}

extension LedgerDirectory {
  /// Whether the directory is missing or empty.
  func isVacant() throws(LedgerError) -> Bool {
    try LedgerError.system("The directory \(path) cannot be read.") {
      () throws(SystemError) -> Bool in
      switch try FileSystem.kind(path) {
      case nil: true
      case .directory: try FileSystem.list(path).isEmpty
      default: false
      }
    }
  }
}
