import LedgerLMDB
import LedgerSystem

/// One generation of a ledger's files, open.
struct StoreFiles: Sendable {
  /// The name of the generation's directory.
  let generation: String
  let environment: Environment
  /// The mark of acknowledged positions, which is valid for these files only.
  let mark: AcknowledgedMark
  /// The record of the ledger when the files were opened.
  let metadata: LedgerMetadata

  /// Opens the generation in use.
  static func openCurrent(
    _ directory: LedgerDirectory, _ options: StoreOptions
  ) throws(LedgerError) -> StoreFiles {
    try directory.withCurrentGeneration { (name) throws(LedgerError) in
      try StoreFiles(opening: name, in: directory, options)
    }
  }

  /// Opens a generation.
  init(
    opening generation: String, in directory: LedgerDirectory, _ options: StoreOptions
  ) throws(LedgerError) {
    var configuration = options.environment
    // A ledger is always created with its data file, so a missing file was lost.
    configuration.createsDataFile = false
    self.generation = generation
    environment = try LedgerError.mappingAll {
      try Environment.open(
        at: directory.generation(generation), configuration: configuration,
        tables: LedgerTables.descriptions)
    }
    metadata = try LMDBLog(environment).metadata()
    mark = try AcknowledgedMark(of: metadata.ledgerID, in: directory, generation: generation)
  }

  /// Whether the files are sealed now: either a shrink has moved the ledger to other files, or it died before
  /// that.
  var isSealed: Bool { environment.isSealed }
}

extension Environment {
  /// Whether the ledger's record says that these files are sealed; `false` if it cannot be read.
  var isSealed: Bool {
    (try? LMDBLog(self).pinned { view in try view.isSealed }) ?? false
  }

  /// Seals the files or removes the seal, durably. The caller holds the writer gate.
  ///
  /// - Parameter check: Called in the transaction; an error leaves everything as it is.
  func setSealed(
    _ isSealed: Bool, check: (borrowing WriteTransaction) throws -> Void = { _ in }
  ) throws {
    let meta = try table(named: SnapshotTable.meta.name)
    try write { transaction in
      try check(transaction)
      var metadata = try LMDBLog.metadata(of: transaction, meta)
      metadata.isSealed = isSealed
      let (key, record) = (LedgerMetadata.key, metadata.encoded)
      try transaction.put(record.span, forKey: key.span, in: meta)
    }
  }
}

extension LedgerDirectory {
  /// Runs `body` with the name of the generation in use, and again if a shrink moved the ledger meanwhile and
  /// `body` failed: the files that it was to open may have been removed.
  func withCurrentGeneration<R>(
    _ body: (_ name: String) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    var name = try readCurrentGeneration()
    while true {
      do throws(LedgerError) {
        return try body(name)
      } catch {
        let newest = try readCurrentGeneration()
        guard newest != name else { throw error }
        name = newest
      }
    }
  }
}
