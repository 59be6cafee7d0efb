import LedgerLMDB
import LedgerSystem

// A shrink moves the ledger to a new generation of its files, while sessions have the old one open. It seals the
// old files, and CURRENT then names the new ones, which are sealed, too, until the name is durable. The file
// CURRENT decides in every case:
//
// - A session whose files are sealed, and not those that CURRENT names, moves to the others.
// - If CURRENT names sealed files, a shrink is between two steps, or its process died there. A shrink holds the
//   writer gate from the seal to the end. So a session that holds the gate itself knows that the shrink is over,
//   and removes the seal.
extension LMDBEventStore {
  /// The open files, which are those of the generation in use.
  func currentFiles() throws(LedgerError) -> StoreFiles {
    while true {
      let files = try openFiles
      if files.isSealed {
        guard try move(from: files) else { return files }
      } else if !files.environment.isClosed {
        return files
      }
      // Closed files cannot tell: another thread has moved to others meanwhile.
    }
  }

  /// The files of the generation in use, without a seal. The caller holds the writer gate.
  func writableFiles() throws(LedgerError) -> StoreFiles {
    let files = try currentFiles()
    guard files.isSealed else { return files }
    try Self.finishMove(to: files, in: directory)
    return files
  }

  /// Makes the file CURRENT durable, and removes the seal from the files that it names. The caller holds the
  /// writer gate.
  static func finishMove(
    to files: StoreFiles, in directory: LedgerDirectory
  ) throws(LedgerError) {
    try LedgerError.mappingAll {
      // Otherwise a power cut could bring the older name back, and everything that is committed to these
      // files from now on would be lost.
      try FileSystem.syncDirectory(directory.path)
      try files.environment.setSealed(false)
    }
  }

  /// Opens the generation in use in place of other files.
  ///
  /// - Returns: `false` if these files are the generation in use.
  private func move(from files: StoreFiles) throws(LedgerError) -> Bool {
    guard try directory.readCurrentGeneration() != files.generation else { return false }
    var options = options
    // The shrink verified them, and writers may be waiting.
    options.environment.treeCheck = .paths
    let new = try StoreFiles.openCurrent(directory, options)
    guard new.metadata.ledgerID == ledgerID else {
      throw .historyChanged(from: ledgerID, to: new.metadata.ledgerID)
    }
    replace(files, with: new)
    return true
  }
}
