import LedgerLMDB
import LedgerSystem

extension LMDBEventStore {
  /// Opens the ledger in a directory, or creates it if nothing is there.
  ///
  /// - Parameter newLedgerID: The id if it is created.
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

  /// Builds a ledger beside its final place, makes it durable, and moves it there.
  ///
  /// A process that is killed meanwhile leaves a directory with a temporary name, never half a
  /// ledger. The next one that makes a ledger at that place removes it.
  ///
  /// - Parameter fill: Writes the first events.
  /// - Throws: `alreadyExists` if something came to be there meanwhile, and what `fill` throws.
  static func construct(
    _ directory: LedgerDirectory, environment: Configuration = Configuration(),
    metadata: LedgerMetadata,
    _ fill: (inout LedgerBuilder) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    do {
      // It is no matter if that fails.
      try? UnfinishedLedger.removeLeftovers(beside: directory.path)
      let unfinished = try UnfinishedLedger(beside: directory.path)
      try build(unfinished.directory, environment, metadata, fill)
      do throws(SystemError) {
        // Replaces an empty directory, and nothing else.
        try unfinished.move(to: directory.path)
      } catch {
        guard error.code == .exists || error.code == .directoryNotEmpty else { throw error }
        throw LedgerError.somethingIs(at: directory.path)
      }
      try FileSystem.syncDirectory(FileSystem.parent(of: directory.path))
    } catch let error as SystemError {
      throw LedgerError(error, "The ledger cannot be created at \(directory.path).")
    } catch {
      throw LedgerError.mapping(error)
    }
  }

  private static func build(
    _ directory: LedgerDirectory, _ configuration: Configuration, _ metadata: LedgerMetadata,
    _ fill: (inout LedgerBuilder) throws(LedgerError) -> Void
  ) throws {
    let generation = directory.generation(LedgerDirectory.firstGeneration)
    try FileSystem.createDirectory(generation)
    try FileSystem.createDirectory(directory.sessions)
    var creation = configuration
    creation.access = .readWrite
    let environment = try Environment.open(
      at: generation, configuration: creation, tables: LMDBLog.tables)
    defer { try? environment.close() }
    let table = try environment.table(named: "meta")
    let (key, record) = (LedgerMetadata.key, metadata.encoded)
    try environment.write { transaction in
      try transaction.put(record.span, forKey: key.span, in: table)
    }
    var builder = try LedgerBuilder(environment)
    try fill(&builder)
    try builder.finish()
    try environment.close()
    try FileSystem.syncFile(generation + "/data.mdb")
    try FileSystem.syncDirectory(generation)
    try SharedWords(path: directory.wake).close()
    try FileLock.open(directory.gate).close()
    try FileSystem.writeAtomically(
      Array((LedgerDirectory.firstGeneration + "\n").utf8), to: directory.current)
    try FileSystem.syncDirectory(directory.path)
  }
}

extension LedgerDirectory {
  /// Whether there is nothing, or an empty directory.
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

  /// The name of the generation in use.
  func readCurrentGeneration() throws(LedgerError) -> String {
    let bytes = try LedgerError.system("The ledger at \(path) cannot be read.") {
      () throws(SystemError) -> [UInt8]? in
      do throws(SystemError) {
        return try FileSystem.read(current, maximumBytes: 64)
      } catch {
        guard error.code == .notFound || error.code == .notDirectory else { throw error }
        return nil
      }
    }
    guard let bytes else { throw .notALedger(path, whyThereIsNoCurrentFile) }
    guard let text = String(validating: bytes, as: UTF8.self), text.last == "\n",
      text.hasPrefix("generation-"), text.dropFirst(11).dropLast().allSatisfy(\.isWholeNumber)
    else { throw .notALedger(path, "its CURRENT file is damaged") }
    return String(text.dropLast())
  }

  private var whyThereIsNoCurrentFile: String {
    switch try? FileSystem.kind(path) {
    case nil: "nothing is there"
    case .directory: "it has no CURRENT file"
    default: "it is not a directory"
    }
  }
}

extension LedgerError {
  fileprivate static func notALedger(_ path: String, _ why: String) -> LedgerError {
    LedgerError(.notALedger, "\(path) is not a ledger: \(why). Give the path of a ledger.")
  }
}
