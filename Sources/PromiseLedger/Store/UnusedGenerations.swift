import LedgerLMDB
import LedgerSystem

/// The generations in a ledger's directory that CURRENT does not name: what a shrink leaves if its process is
/// killed.
///
/// A generation is sealed unless it was in use after all others. So one without a seal is never removed, and if
/// it is newer than the one that CURRENT names, the ledger is refused: events would be lost, and their
/// positions used again.
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

  /// Refuses a ledger whose newest files are not those that CURRENT names.
  ///
  /// - Throws: `corrupt`.
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
  static func newer(
    than current: String, in directory: LedgerDirectory
  ) throws(LedgerError) -> String? {
    guard let unused = try? UnusedGenerations(besides: current, in: directory),
      let number = LedgerDirectory.generationNumber(current),
      // The files that a shrink has just made are not opened only to look at them.
      try directory.readCurrentGeneration() == current,
      let newer = unused.inUse(after: number),
      // Otherwise a shrink has moved the ledger meanwhile, and the caller follows it.
      try directory.readCurrentGeneration() == current
    else { return nil }
    return newer
  }

  /// A newer generation that is not sealed.
  private func inUse(after number: UInt64) -> String? {
    let newer = generations.compactMap { name in
      LedgerDirectory.generationNumber(name).map { (name: name, number: $0) }
    }.filter { $0.number > number && seal(of: $0.name) == .missing }
    return newer.max { $0.number < $1.number }?.name
  }

  enum Seal {
    case present
    case missing
    /// There is no data file, or it cannot be read.
    case unknown
  }

  private func seal(of generation: String) -> Seal { directory.seal(of: generation) }

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
    switch seal(of: generation) {
    case .present: true
    case .missing: false
    case .unknown: (try? FileSystem.kind(directory.generation(generation) + "/data.mdb")) == .none
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

extension LedgerDirectory {
  /// Whether a generation that is not in use is sealed.
  func seal(of generation: String) -> UnusedGenerations.Seal {
    let configuration = Configuration(
      access: .readOnlyWithoutLock, createsDataFile: false, yieldsToOthers: true)
    let opened = try? Environment.open(
      at: self.generation(generation), configuration: configuration,
      tables: LedgerTables.firstDescriptions)
    guard let opened, let metadata = try? LMDBLog(opened).metadata() else { return .unknown }
    return metadata.isSealed ? .present : .missing
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
