internal import Synchronization

/// Every environment that this process has open, by the identity of its data file.
///
/// A second open of the same directory, by whatever path, gets a share of the first one's `MDB_env`;
/// the last share that is released closes it. Opening and closing happen under one lock, so that a
/// file is never opened while it is being closed.
enum EnvironmentRegistry {
  private struct Entry {
    let core: EnvironmentCore
    /// Who shares it, and whether that one yields to others.
    var shares: [ObjectIdentifier: (share: TransactionGate.Share, yields: Bool)] = [:]
  }

  private static let entries = Locked<[FileIdentity: Entry]>([:])

  /// The open core for the file, or the one that `open` makes.
  ///
  /// A core that does not do, for its access or its panic, is closed first if all its shares yield: a
  /// second `MDB_env` on the file would cost the process its locks.
  static func share(
    _ identity: FileIdentity, _ configuration: Configuration, _ share: TransactionGate.Share,
    open: () throws(LMDBError) -> EnvironmentCore
  ) throws(LMDBError) -> EnvironmentCore {
    try entries.withLock { (entries) throws(LMDBError) in
      // What a forked child inherited is its parent's; it opens its own.
      if var entry = entries[identity], !entry.core.forkGuard.isForkedChild {
        let obstacle = entry.core.obstacle(to: configuration)
        guard let obstacle else {
          entry.shares[ObjectIdentifier(share)] = (share, configuration.yieldsToOthers)
          entries[identity] = entry
          return entry.core
        }
        let isYielded = try endYielding(&entry)
        entries[identity] = isYielded ? nil : entry
        guard isYielded else { throw obstacle }
        entry.core.shutDown()
      }
      let core = try open()
      entries[identity] = Entry(
        core: core, shares: [ObjectIdentifier(share): (share, configuration.yieldsToOthers)])
      return core
    }
  }

  /// Closes the shares that yield, and waits until their transactions ended.
  ///
  /// - Returns: Whether no other share is left.
  private static func endYielding(_ entry: inout Entry) throws(LMDBError) -> Bool {
    // In panic each of the others will let go in its turn, so those that yield need not wait for it.
    let isPanicked = entry.core.panicked.load(ordering: .acquiring)
    guard isPanicked || entry.shares.values.allSatisfy(\.yields) else { return false }
    for (id, holder) in entry.shares where holder.yields {
      _ = try entry.core.gate.close(holder.share)
      entry.shares[id] = nil
    }
    return entry.shares.isEmpty
  }

  static func release(_ core: EnvironmentCore, _ share: TransactionGate.Share) {
    entries.withLock { entries in
      guard var entry = entries[core.identity], entry.core === core,
        entry.shares.removeValue(forKey: ObjectIdentifier(share)) != nil
      else { return }
      guard entry.shares.isEmpty else {
        entries[core.identity] = entry
        return
      }
      entries[core.identity] = nil
      core.shutDown()
    }
  }
}

extension EnvironmentCore {
  /// Why a handle cannot share this core, if it cannot.
  func obstacle(to other: Configuration) -> LMDBError? {
    if panicked.load(ordering: .acquiring) {
      return LMDBError(.panic, .openEnvironment, path: path)
    }
    if other.access.rawValue < configuration.access.rawValue {
      return LMDBError(
        .optionsMismatch("access \(configuration.access), asked for \(other.access)"),
        .openEnvironment, path: path)
    }
    // How durable commits are concerns those who commit.
    if other.access == .readWrite, other.durability != configuration.durability {
      return LMDBError(
        .optionsMismatch("durability \(configuration.durability)"), .openEnvironment, path: path)
    }
    return nil
  }
}
