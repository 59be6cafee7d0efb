internal import Synchronization

/// Every environment that this process has open, by the identity of its data file.
///
/// A second open of the same directory, by whatever path, gets a share of the first one's `MDB_env`;
/// the last share that is released closes it. Opening and closing happen under one lock, so that a
/// file is never opened while it is being closed.
enum EnvironmentRegistry {
  private struct Entry {
    let core: EnvironmentCore
    var shares: Int
  }

  private static let entries = Locked<[FileIdentity: Entry]>([:])

  /// The open core for the file, or the one that `open` makes.
  static func share(
    _ identity: FileIdentity, _ configuration: Configuration,
    open: () throws(LMDBError) -> EnvironmentCore
  ) throws(LMDBError) -> EnvironmentCore {
    try entries.withLock { (entries) throws(LMDBError) in
      // What a forked child inherited is its parent's; it opens its own.
      if let entry = entries[identity], entry.core.generation == ForkGeneration.current {
        // A second MDB_env on the file would cost the process its locks: first the shares must end.
        guard !entry.core.panicked.load(ordering: .acquiring) else {
          throw LMDBError(.panic, .openEnvironment, path: entry.core.path)
        }
        try entry.core.checkFits(configuration)
        entries[identity]?.shares += 1
        return entry.core
      }
      let core = try open()
      entries[identity] = Entry(core: core, shares: 1)
      return core
    }
  }

  static func release(_ core: EnvironmentCore) {
    entries.withLock { entries in
      guard var entry = entries[core.identity], entry.core === core else { return }
      entry.shares -= 1
      guard entry.shares == 0 else {
        entries[core.identity] = entry
        return
      }
      entries[core.identity] = nil
      core.shutDown()
    }
  }
}

extension EnvironmentCore {
  /// Refuses a share that would get something else than it asked for.
  func checkFits(_ other: Configuration) throws(LMDBError) {
    if other.access != configuration.access {
      throw LMDBError(
        .optionsMismatch("access \(configuration.access), asked for \(other.access)"),
        .openEnvironment, path: path)
    }
    if other.durability != configuration.durability {
      throw LMDBError(
        .optionsMismatch("durability \(configuration.durability)"), .openEnvironment, path: path)
    }
  }
}
