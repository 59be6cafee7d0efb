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
      Array((LedgerDirectory.firstGeneration + "\n").utf8), to: directory.current)
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

  /// The maximum size of the file CURRENT, in bytes.
  private static let currentLimit = 64

  /// The name of the generation in use.
  func readCurrentGeneration() throws(LedgerError) -> String {
    let bytes = try LedgerError.system("The ledger at \(path) cannot be read.") {
      () throws(SystemError) -> [UInt8]? in
      do throws(SystemError) {
        return try FileSystem.readPrefix(current, maximumBytes: Self.currentLimit + 1)
      } catch {
        guard error.code == .notFound || error.code == .notDirectory else { throw error }
        return nil
      }
    }
    guard let bytes else {
      if let trace = traceOfALedger { throw .damaged(path, "it has \(trace), but no CURRENT file") }
      throw .notALedger(path, whyThereIsNoCurrentFile)
    }
    if let name = Self.generationName(bytes) { return name }
    if let trace = traceOfALedger {
      throw .damaged(path, "it has \(trace), but its CURRENT file is damaged")
    }
    throw .notALedger(path, "its CURRENT file does not belong to a ledger")
  }

  private static func generationName(_ bytes: [UInt8]) -> String? {
    let prefix = Array("generation-".utf8)
    let digits = bytes.dropFirst(prefix.count).dropLast()
    guard bytes.count <= currentLimit, bytes.starts(with: prefix), bytes.last == UInt8(ascii: "\n"),
      !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  /// The evidence that the directory holds a ledger, or the remains of one; `nil` if there is none.
  ///
  /// A CURRENT file alone is not evidence: other databases have one, too.
  private var traceOfALedger: String? {
    guard let names = try? FileSystem.list(path) else { return nil }
    if let generation = names.first(where: { Self.generationName(Array("\($0)\n".utf8)) != nil }) {
      return "a directory \(generation)"
    }
    let ours = ["gate", "sessions", "wake"].filter(names.contains)
    return ours.count >= 2 ? ours.joined(separator: " and ") : nil
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

  fileprivate static func damaged(_ path: String, _ what: String) -> LedgerError {
    LedgerError(.corrupt, "The ledger at \(path) is damaged: \(what). Restore it from a copy.")
  }
}
