import LedgerSystem

/// A ledger that is being built under a temporary name beside its place.
///
/// Its directory is locked as long as the process that makes it lives, and holds a file `making` until it has
/// its final name. So the leftovers of a killed process are distinguishable from a ledger that a living
/// process makes, and from one that a user renamed.
struct UnfinishedLedger: ~Copyable {
  static let markName = "making"

  /// The ledger's paths. They stay valid if another user renames something meanwhile.
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
        // Another process mistook it for a leftover before it was locked, and removed it.
        guard error.code != .notFound else { continue }
        try? place.parent.removeDirectory(name)
        throw error
      }
    }
  }

  /// Moves the ledger durably to its place, which must be vacant or an empty directory.
  consuming func move() throws(SystemError) {
    guard try place.parent.facts(of: temporaryName)?.identity == handle.facts.identity else {
      throw SystemError(.notFound, "renameat", path: place.parent.path(of: temporaryName))
    }
    try place.parent.rename(temporaryName, to: place.name)
    isFinished = true
    try place.parent.sync()
    // A failure here is harmless: the next opening removes the file.
    try? handle.remove(Self.markName)
  }

  // MARK: Left-overs

  /// Removes the leftovers of killed processes that were making a ledger at a place.
  ///
  /// It removes a directory only if it belongs to this process's user, has mode 0700 and a name that
  /// ``init(at:)`` makes, is not locked, and holds only the files of an unfinished ledger. Otherwise the
  /// whole directory stays as it is. Items that cannot be examined or removed stay.
  ///
  /// - Parameter looked: Called between the check of a directory and its removal, for tests.
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
    // A parent directory that passes its group on to new entries adds this bit.
    let permissions = facts.permissions & ~0o2000
    guard facts.isOurs, permissions == 0o700, try handle.tryLock() else { return false }
    let names = try handle.list()
    // Without the mark, it may have been a complete ledger.
    guard names.isEmpty || names.contains(markName) else { return false }
    return try LedgerContents.directory.holdsNothingElse(in: handle)
  }

  /// Removes the known entries of a directory, and then the directory if it is empty.
  private static func remove(
    _ name: String, _ handle: borrowing DirectoryHandle, from parent: borrowing DirectoryHandle
  ) throws(SystemError) {
    try LedgerContents.directory.remove(from: handle, keeping: markName)
    // Removed last, so that the rest of a killed removal is recognisable, too.
    try handle.remove(markName)
    try parent.removeDirectory(name)
  }

  /// Completes the steps that follow the move of a ledger to its place: makes the name durable, and removes
  /// the mark. The process that made the ledger may have died before these steps, or be performing them now.
  ///
  /// Until then, a power cut may remove the name, and with it all commits made meanwhile.
  static func removeMark(from directory: LedgerDirectory) throws(SystemError) {
    let handle = try DirectoryHandle(directory.path)
    guard let mark = try handle.facts(of: markName) else { return }
    try handle.directory("..").sync()
    try handle.sync()
    // A failure here is harmless: the next opening removes the file.
    let owner = try handle.facts.owner
    guard mark.kind == .file, mark.byteCount == 0, mark.owner == owner else { return }
    try? handle.remove(markName)
  }
}
