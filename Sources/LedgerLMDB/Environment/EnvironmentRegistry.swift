internal import LedgerSystem
internal import Synchronization

/// Every environment that this process has open, by the identity of its data file.
///
/// A second open of the same directory, by whatever path, gets a share of the first one's
/// `MDB_env`; the last share to be released closes it. Opening and closing happen under one lock,
/// so that a file is never opened while it is being closed.
enum EnvironmentRegistry {
  private struct Entry {
    let core: EnvironmentCore
    /// Its shares, and whether each one yields to others.
    var shares: [ObjectIdentifier: (share: TransactionGate.Share, yields: Bool)] = [:]
    /// Whether all shares yield to a handle that waits for their end: no other may come in between.
    var isEnding = false
  }

  private static let entries = Mutex<[FileIdentity: Entry]>([:])

  private enum Outcome {
    case shared(EnvironmentCore)
    /// These shares must end first.
    case taken(EnvironmentCore, [TransactionGate.Share])
  }

  /// The open core for the file, or the one that `open` creates.
  ///
  /// A core that does not suit, because of its access or its panic, is closed first if all its
  /// shares yield: a second `MDB_env` on the file would cost the process its locks. The
  /// transactions of those shares may take long, so waiting for them does not keep other
  /// environments from being opened or closed.
  static func share(
    _ identity: FileIdentity, _ configuration: Configuration, _ share: TransactionGate.Share,
    open: () throws(LMDBError) -> EnvironmentCore
  ) throws(LMDBError) -> EnvironmentCore {
    while true {
      let outcome = try entries.withLock { (entries) throws(LMDBError) in
        try join(&entries, identity, configuration, share, open)
      }
      switch outcome {
      case .shared(let core): return core
      case .taken(let core, let shares):
        do throws(LMDBError) {
          for share in shares {
            _ = try core.gate.close(share)
            release(core, share)
          }
        } catch {
          entries.withLock { $0[identity]?.isEnding = false }
          throw error
        }
      }
    }
  }

  private static func join(
    _ entries: inout [FileIdentity: Entry], _ identity: FileIdentity,
    _ configuration: Configuration, _ share: TransactionGate.Share,
    _ open: () throws(LMDBError) -> EnvironmentCore
  ) throws(LMDBError) -> Outcome {
    let mine = (share, configuration.yieldsToOthers)
    // An entry that a forked child inherited is its parent's; the child opens its own.
    if var entry = entries[identity], !entry.core.forkGuard.isForkedChild {
      if !entry.isEnding {
        guard let obstacle = entry.core.obstacle(to: configuration) else {
          entry.shares[ObjectIdentifier(share)] = mine
          entries[identity] = entry
          return .shared(entry.core)
        }
        // In panic each of the other shares is released in its turn, so those that yield need not
        // wait for it.
        let isPanicked = entry.core.panicked.load(ordering: .acquiring)
        let yielding = entry.shares.values.filter(\.yields)
        guard !yielding.isEmpty, isPanicked || yielding.count == entry.shares.count else {
          throw obstacle
        }
        entry.isEnding = yielding.count == entry.shares.count
        entries[identity] = entry
      }
      return .taken(entry.core, entry.shares.values.filter(\.yields).map(\.share))
    }
    let core = try open()
    entries[identity] = Entry(core: core, shares: [ObjectIdentifier(share): mine])
    return .shared(core)
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
  /// The reason why a handle cannot share this core, if it cannot.
  func obstacle(to other: Configuration) -> LMDBError? {
    if panicked.load(ordering: .acquiring) {
      return LMDBError(.panic, .openEnvironment, path: path)
    }
    if other.access.rawValue < configuration.access.rawValue {
      return LMDBError(
        .optionsMismatch(
          "its access is \(configuration.access), and \(other.access) was requested"),
        .openEnvironment, path: path)
    }
    // The durability of commits only matters to a handle that commits.
    if other.access == .readWrite, other.durability != configuration.durability {
      return LMDBError(
        .optionsMismatch("its durability is \(configuration.durability)"), .openEnvironment,
        path: path)
    }
    return nil
  }
}
