import LedgerSystem

/// A ledger that is being built under a temporary name beside its place.
///
/// Its directory is locked as long as its maker lives, and holds a file `making` until after it got
/// its name. So what a killed process left can be told from what a living one makes, and from a
/// ledger that a user renamed.
struct UnfinishedLedger: ~Copyable {
  static let markName = "making"

  /// The ledger's paths. They stay good if another user renames something meanwhile.
  let directory: LedgerDirectory
  private let place: LedgerPlace
  private let temporaryName: String
  private let handle: DirectoryHandle
  private var isFinished = false

  init(at place: consuming LedgerPlace) throws(SystemError) {
    handle = try Self.makeDirectory(at: place)
    temporaryName = FileSystem.lastComponent(of: handle.path)
    directory = LedgerDirectory(handle.lastingPath)
    self.place = place
  }

  deinit {
    if !isFinished { try? Self.remove(temporaryName, handle, from: place.parent) }
  }

  private static func makeDirectory(
    at place: borrowing LedgerPlace
  ) throws(SystemError) -> DirectoryHandle {
    while true {
      let name = try place.parent.createUniqueDirectory(for: place.name)
      do throws(SystemError) {
        let made = try place.parent.directory(name)
        guard try made.facts.isOurs, try made.list().isEmpty else {
          throw SystemError(.notPermitted, "openat", path: made.path)
        }
        guard try made.tryLock() else { continue }
        try made.createFile(markName)
        return made
      } catch {
        // Another process took it for a left-over before it was locked, and removed it.
        guard error.code != .notFound else { continue }
        try? place.parent.removeDirectory(name)
        throw error
      }
    }
  }

  /// Moves the ledger to its place, where nothing must be, or an empty directory, durably.
  consuming func move() throws(SystemError) {
    guard try place.parent.facts(of: temporaryName)?.identity == handle.facts.identity else {
      throw SystemError(.notFound, "renameat", path: place.parent.path(of: temporaryName))
    }
    try place.parent.rename(temporaryName, to: place.name)
    isFinished = true
    try place.parent.sync()
    // It is no matter if that fails: the next opening removes it.
    try? handle.remove(Self.markName)
  }

  // MARK: Left-overs

  /// Removes what killed processes left when they made a ledger at a place.
  ///
  /// Only a directory of this process's user, with mode 0700, with a name that ``init(at:)`` makes,
  /// that nothing has locked, and that holds nothing but what the making of a ledger leaves: anything
  /// else keeps the whole directory as it is. What cannot be looked at, or not be removed, stays.
  ///
  /// - Parameter looked: Called between the look at a directory and its removal, by tests.
  static func removeLeftovers(
    at place: borrowing LedgerPlace, looked: (_ name: String) -> Void = { _ in }
  ) {
    guard let names = try? place.parent.temporaryNames(for: place.name) else { return }
    for name in names {
      guard let handle = try? place.parent.directory(name), (try? isLeftover(handle)) == true
      else { continue }
      looked(name)
      try? remove(name, handle, from: place.parent)
    }
  }

  private static func isLeftover(_ handle: borrowing DirectoryHandle) throws(SystemError) -> Bool {
    let facts = try handle.facts
    // A directory that gives its group to what is made in it adds that bit.
    let permissions = facts.permissions & ~0o2000
    guard facts.isOurs, permissions == 0o700, try handle.tryLock() else { return false }
    let names = try handle.list()
    // Without the mark it may be a ledger that was whole.
    guard names.isEmpty || names.contains(markName) else { return false }
    return try LedgerContents.directory.holdsNothingElse(in: handle)
  }

  /// Removes what is known of a directory, and the directory if it is then empty.
  private static func remove(
    _ name: String, _ handle: borrowing DirectoryHandle, from parent: borrowing DirectoryHandle
  ) throws(SystemError) {
    try LedgerContents.directory.remove(from: handle, keeping: markName)
    // Last, so that what is left of a removal that is killed can be told, too.
    try handle.remove(markName)
    try parent.removeDirectory(name)
  }

  /// Finishes what the maker of a ledger did not come to, or is just doing, after it moved the ledger to
  /// its place: makes the name durable, and removes the mark.
  ///
  /// Until then a power cut may take the name away, and with it whatever was committed meanwhile.
  static func removeMark(from directory: LedgerDirectory) throws(SystemError) {
    let handle = try DirectoryHandle(directory.path)
    guard let mark = try handle.facts(of: markName) else { return }
    try handle.directory("..").sync()
    try handle.sync()
    // It is no matter if that fails: the next opening removes it.
    let owner = try handle.facts.owner
    guard mark.kind == .file, mark.byteCount == 0, mark.owner == owner else { return }
    try? handle.remove(markName)
  }
}

/// What the making of a ledger leaves in a directory.
private enum LedgerContents {
  case directory
  case generation
  /// Where LMDB makes an empty data file.
  case creation
  /// No session was opened yet.
  case sessions

  private enum Entry {
    case file
    case directory(LedgerContents)
  }

  /// What may have a name; `nil` if nothing of ours has it.
  private func entry(_ name: String) -> Entry? {
    switch (self, name) {
    case (.directory, UnfinishedLedger.markName), (.directory, "CURRENT"), (.directory, "gate"),
      (.directory, "compaction"), (.directory, "wake"):
      .file
    case (.directory, LedgerDirectory.firstGeneration): .directory(.generation)
    case (.directory, "sessions"): .directory(.sessions)
    case (.directory, _): TemporaryName.target(of: name) == "CURRENT" ? .file : nil
    case (.generation, "data.mdb"), (.generation, "lock.mdb"): .file
    case (.creation, "data.mdb"), (.creation, "lock.mdb"): .file
    case (.generation, _):
      TemporaryName.target(of: name) == "data.mdb" ? .directory(.creation) : nil
    case (.creation, _), (.sessions, _): nil
    }
  }

  /// Whether everything in a directory, at any depth, is of this user and of a kind and a name that
  /// is known.
  func holdsNothingElse(in handle: borrowing DirectoryHandle) throws(SystemError) -> Bool {
    for name in try handle.list() {
      guard let entry = entry(name), let facts = try handle.facts(of: name), facts.isOurs else {
        return false
      }
      switch entry {
      case .file:
        guard facts.kind == .file else { return false }
      case .directory(let contents):
        guard facts.kind == .directory,
          try contents.holdsNothingElse(in: handle.directory(name))
        else { return false }
      }
    }
    return true
  }

  /// Removes what is known, and leaves everything else.
  func remove(
    from handle: borrowing DirectoryHandle, keeping kept: String? = nil
  ) throws(SystemError) {
    for name in try handle.list() where name != kept {
      switch entry(name) {
      case nil: break
      case .file: try handle.remove(name)
      case .directory(let contents):
        try contents.remove(from: handle.directory(name))
        try handle.removeDirectory(name)
      }
    }
  }
}
