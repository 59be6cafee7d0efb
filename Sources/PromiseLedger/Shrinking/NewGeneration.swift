import LedgerLMDB
import LedgerSystem

/// A new generation of a ledger's files while a shrink makes it: sealed, and not named by CURRENT.
///
/// It is built under a temporary name. Without a process, it is removed as a leftover, whatever its name.
final class NewGeneration {
  let name: String
  private(set) var environment: Environment
  private let ledger: DirectoryHandle
  private let temporaryName: String
  private var hasName = false
  private var isInUse = false

  /// - Parameters:
  ///   - old: The files that it replaces. Its files get their owner and permissions.
  /// - Throws: `corrupt` if no generation can follow; any error of the files.
  init(
    replacing old: StoreFiles, in directory: LedgerDirectory, _ options: StoreOptions
  ) throws {
    var metadata = try LMDBLog(old.environment).metadata()
    let newest = max(
      metadata.generation, LedgerDirectory.generationNumber(old.generation) ?? 0)
    let (number, isTooHigh) = newest.addingReportingOverflow(1)
    guard !isTooHigh else {
      throw LedgerError(
        .corrupt,
        "The ledger at \(directory.path) was not shrunk: the number of its generation is damaged, because it is the highest that there is. Nothing was changed. Make a backup, which begins with generation 1, and move it to the place of the ledger."
      )
    }
    metadata.generation = number
    metadata.isSealed = true
    let name = LedgerDirectory.generationName(metadata.generation)
    let ledger = try DirectoryHandle(directory.path)
    let temporaryName = try ledger.createUniqueDirectory(for: name)
    do {
      environment = try Self.makeEnvironment(
        in: directory.generation(temporaryName), options, like: old, metadata)
      try Self.giveRights(of: old.generation, to: temporaryName, in: ledger)
    } catch {
      try? ledger.removeTree(temporaryName)
      throw error
    }
    self.name = name
    self.ledger = ledger
    self.temporaryName = temporaryName
  }

  deinit {
    try? environment.close()
    guard !isInUse else { return }
    try? ledger.removeTree(hasName ? name : temporaryName)
  }

  private static func makeEnvironment(
    in path: String, _ options: StoreOptions, like old: StoreFiles, _ metadata: LedgerMetadata
  ) throws -> Environment {
    let info = try old.environment.info()
    var configuration = options.environment
    configuration.access = .readWrite
    configuration.createsDataFile = true
    configuration.maximumReaders = info.maximumReaders
    // What fits into the old map fits into one of the same size.
    configuration.mapSize = max(configuration.mapSize, info.mapSize)
    let environment = try Environment.open(
      at: path, configuration: configuration, tables: LedgerTables.descriptions)
    let meta = try environment.table(named: SnapshotTable.meta.name)
    let (key, record) = (LedgerMetadata.key, metadata.encoded)
    try environment.write { transaction in
      try transaction.put(record.span, forKey: key.span, in: meta)
    }
    return environment
  }

  private static func giveRights(
    of old: String, to new: String, in ledger: borrowing DirectoryHandle
  ) throws(SystemError) {
    let from = try ledger.directory(old)
    let to = try ledger.directory(new)
    for file in ["data.mdb", "lock.mdb"] {
      if let facts = try from.facts(of: file) { try to.giveRights(facts, to: file) }
    }
    try ledger.giveRights(from.facts, to: new)
  }

  /// Verifies the copy, as a backup is verified.
  func verify(in directory: LedgerDirectory, _ tick: () throws -> Void) throws {
    try NewLedgerCheck.verify(
      LMDBInspection(of: directory, generation: temporaryName, locking: true),
      refusing: "The ledger was not shrunk, because it is damaged",
      advice: "Nothing was changed. Verify the ledger, and salvage it or restore it from a copy.",
      tick)
  }

  /// Gives the directory its name, durably with everything in it.
  ///
  /// - Returns: The files, opened again under that name, which errors mention.
  func takeName(in directory: LedgerDirectory, _ options: StoreOptions) throws -> StoreFiles {
    try environment.close()
    try FileSystem.syncFile(directory.generation(temporaryName) + "/data.mdb")
    try FileSystem.syncDirectory(directory.generation(temporaryName))
    try ledger.rename(temporaryName, to: name)
    hasName = true
    try ledger.sync()
    let files = try StoreFiles(opening: name, in: directory, options)
    environment = files.environment
    return files
  }

  /// Keeps the files from now on, because CURRENT may name them.
  func keep() { isInUse = true }
}
