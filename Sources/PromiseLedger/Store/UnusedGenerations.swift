import LedgerLMDB
import LedgerSystem

/// The generations in a ledger's directory that CURRENT does not name: what a shrink leaves if its process is
/// killed.
///
/// A generation is sealed unless it was in use after all others. So one without a seal is never removed, and if
/// it is newer than the one that CURRENT names, the ledger is refused: events would be lost, and their
/// positions used again. The same applies to one of which the seal cannot be read.
struct UnusedGenerations: ~Copyable {
  private let handle: DirectoryHandle
  private let directory: LedgerDirectory
  /// The generations that have their names.
  private let generations: [String]
  /// Those that a shrink was making or removing.
  private let unfinished: [String]

  /// - Parameter current: The name of the generation in use.
  init(besides current: String, in directory: LedgerDirectory) throws(SystemError) {
    let handle = try DirectoryHandle(directory.path)
    let names = try handle.list()
    self.directory = directory
    generations = names.filter {
      $0 != current && LedgerDirectory.generationNumber($0) != nil
    }
    unfinished = names.filter { name in
      guard let target = TemporaryName.target(of: name) else { return false }
      return target == "CURRENT" || LedgerDirectory.generationNumber(target) != nil
    }
    self.handle = handle
  }

  var isEmpty: Bool { generations.isEmpty && unfinished.isEmpty }

  /// The size of the data files, in bytes.
  func byteCount() -> Int {
    (generations + unfinished).reduce(0) { sum, name in
      sum + ((try? FileSystem.fileSize(directory.generation(name) + "/data.mdb")) ?? 0)
    }
  }

  // MARK: Refusing

  /// Refuses a ledger whose newest files are not those that CURRENT names, or may not be.
  ///
  /// - Throws: `corrupt`; any other error for which newer files cannot be looked at.
  static func refuseNewer(
    than current: String, in directory: LedgerDirectory
  ) throws(LedgerError) {
    guard let newer = try newer(than: current, in: directory) else { return }
    throw LedgerError(
      .corrupt,
      "The ledger at \(directory.path) uses \(current), according to its file CURRENT, but \(newer) was in use after that. An older CURRENT file may have been restored, or the disk lost a write. Write \(newer) into the file CURRENT and verify the ledger, or restore the ledger from a copy."
    )
  }

  /// The generation that was in use after the one that CURRENT names; `nil` if there is none, or if CURRENT names another
  /// one by now.
  private static func newer(
    than current: String, in directory: LedgerDirectory
  ) throws(LedgerError) -> String? {
    let unused = try list(besides: current, in: directory)
    guard let number = LedgerDirectory.generationNumber(current),
      // The files that a shrink has just made are not opened only to look at them.
      try directory.readCurrentGeneration() == current
    else { return nil }
    do throws(LedgerError) {
      guard let newer = try unused.inUse(after: number) else { return nil }
      // Otherwise a shrink has moved the ledger meanwhile, and the caller follows it.
      return try directory.readCurrentGeneration() == current ? newer : nil
    } catch {
      guard try directory.readCurrentGeneration() == current else { return nil }
      throw error
    }
  }

  private static func list(
    besides current: String, in directory: LedgerDirectory
  ) throws(LedgerError) -> UnusedGenerations {
    do throws(SystemError) {
      return try UnusedGenerations(besides: current, in: directory)
    } catch {
      throw LedgerError(error, "The directory of the ledger at \(directory.path) cannot be read.")
    }
  }

  /// A newer generation that is not sealed.
  ///
  /// - Throws: The reason why it cannot be found out whether a newer generation is sealed.
  private func inUse(after number: UInt64) throws(LedgerError) -> String? {
    var newest: (name: String, number: UInt64)?
    for name in generations {
      guard let found = LedgerDirectory.generationNumber(name), found > number,
        try steadySeal(of: name) == .missing, found > newest?.number ?? 0
      else { continue }
      newest = (name, found)
    }
    return newest?.name
  }

  private enum Seal {
    case present
    case missing
    /// There is no data file.
    case withoutFile
  }

  /// The number of times that the seal of a generation must be unreadable to count: a shrink may be writing to these
  /// files, which are read without a lock.
  private static let findingCount = 3

  private func steadySeal(of generation: String) throws(LedgerError) -> Seal {
    var findingCount = 0
    while true {
      do throws(LedgerError) {
        return try seal(of: generation)
      } catch {
        findingCount += 1
        guard findingCount < Self.findingCount else {
          throw .unknownSeal(of: generation, in: directory, cause: error)
        }
      }
    }
  }

  /// Whether a generation is sealed.
  ///
  /// - Throws: The reason why its data file cannot be read, or not be looked at.
  private func seal(of generation: String) throws(LedgerError) -> Seal {
    let path = directory.generation(generation)
    let configuration = Configuration(
      access: .readOnlyWithoutLock, createsDataFile: false, yieldsToOthers: true)
    do throws(LedgerError) {
      let environment = try LedgerError.mappingAll {
        try Environment.open(
          at: path, configuration: configuration, tables: LedgerTables.firstDescriptions)
      }
      return try LMDBLog(environment).metadata().isSealed ? .present : .missing
    } catch {
      // Looked at afterwards, because a shrink may have removed it meanwhile.
      if lacksDataFile(generation) { return .withoutFile }
      throw error
    }
  }

  /// Whether there certainly is no data file.
  private func lacksDataFile(_ generation: String) -> Bool {
    do throws(SystemError) {
      return try FileSystem.kind(directory.generation(generation) + "/data.mdb") == nil
    } catch {
      return false
    }
  }

  // MARK: Removing

  /// Removes the unfinished and the sealed generations. The caller holds the compaction lock, so no shrink is
  /// under way. Anything that cannot be removed stays for the next attempt.
  ///
  /// - Throws: If the file CURRENT cannot be made durable; nothing is removed then.
  func remove() throws(SystemError) {
    guard !isEmpty else { return }
    // Otherwise a power cut could bring an older CURRENT back, without the files that it names.
    try handle.sync()
    for generation in generations where isRemovable(generation) {
      try? removeGeneration(generation)
    }
    for name in unfinished where TemporaryName.target(of: name) != "CURRENT" {
      try? removeDirectory(name)
    }
    try? AtomicFile.removeUnfinished(in: directory.path) { $0 == "CURRENT" }
  }

  private func isRemovable(_ generation: String) -> Bool {
    switch try? seal(of: generation) {
    case .present, .withoutFile: true
    case .missing, nil: false
    }
  }

  /// Removes a generation. It loses its name first: LMDB makes a missing data file, so a process that is
  /// opening these files could otherwise make an empty one.
  private func removeGeneration(_ name: String) throws(SystemError) {
    let temporary = try handle.createUniqueDirectory(for: name)
    do throws(SystemError) {
      try handle.rename(name, to: temporary)
    } catch {
      try? handle.removeDirectory(temporary)
      throw error
    }
    try removeDirectory(temporary)
  }

  private func removeDirectory(_ name: String) throws(SystemError) {
    let contents = LedgerContents.generation
    let generation = try handle.directory(name)
    guard try contents.holdsNothingElse(in: generation) else { return }
    try contents.remove(from: generation)
    try handle.removeDirectory(name)
  }
}

extension LedgerError {
  fileprivate static func unknownSeal(
    of generation: String, in directory: LedgerDirectory, cause: LedgerError
  ) -> LedgerError {
    LedgerError(
      cause.code,
      "The ledger at \(directory.path) has newer files than those that its file CURRENT names, in \(generation), and they cannot be read, so it is not known whether they were in use. \(cause.message)",
      cause: cause.cause)
  }
}

extension LMDBEventStore {
  /// Removes what killed shrinks left, unless a shrink or a compaction is under way.
  func removeLeftovers() {
    guard let files = try? openFiles,
      let unused = try? UnusedGenerations(besides: files.generation, in: directory),
      !unused.isEmpty, let lock = try? lockForCompaction()
    else { return }
    defer { lock.release() }
    // Looks again, because a shrink may have ended in between.
    guard let current = try? directory.readCurrentGeneration() else { return }
    try? UnusedGenerations(besides: current, in: directory).remove()
  }
}
