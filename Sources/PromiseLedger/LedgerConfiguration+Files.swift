package import LedgerLMDB

/// The options of a session for the files of a ledger.
package struct FileOptions: Sendable {
  /// The smallest size limit that a ledger can have, in bytes.
  static let smallestSizeLimitInBytes = 8 << 20
  /// The maximum of ``largestGrowthInBytes``.
  static let maximumGrowthInBytes = 16 << 20
  /// The maximum of ``maximumReaderCount``.
  static let largestReaderCount = 65_536

  package var sizeLimitInBytes = 16 << 30
  package var largestGrowthInBytes = StoreOptions.defaultLargestGrowth
  package var maximumReaderCount = Configuration.defaultMaximumReaders
  package var pageCheck = LedgerConfiguration.PageCheck.afterUncleanEnd
  /// The configuration of the environment, for tests.
  package var environment = Configuration()
  /// The points at which a test may stop this process.
  package var hooks = StoreHooks()
}

extension LedgerConfiguration {
  /// The maximum size of the data file, in bytes. The default is 16 GiB.
  ///
  /// The last 4 MiB are reserved for consuming, freezing and compacting. In the last 64 MiB, or the last eighth if
  /// that is less, runners start no more work.
  public var sizeLimitInBytes: Int {
    get { files.sizeLimitInBytes }
    set { files.sizeLimitInBytes = newValue }
  }

  /// The maximum number of bytes by which the data file grows ahead of the events, up to 16 MiB; 0 lets it grow only as
  /// events are written. The default is 1 MiB.
  ///
  /// A commit is quicker if it overwrites a part of the file that was written before than if it makes the file longer. So
  /// when a commit reaches the end of the file, it extends it with zeros: by 64 times its own size, at least
  /// 64 KiB, and at most this number. It does not do so where less than 16 times as much is free on the disk,
  /// or close to ``sizeLimitInBytes``. If it cannot, the commit goes on without it. Opening a ledger with a number that
  /// is negative or more than 16 MiB throws ``LedgerError`` with `invalidArgument`.
  ///
  /// Set it to 0 on a file system that never overwrites blocks in place, such as Btrfs or ZFS: there it costs a little,
  /// and gains nothing.
  public var largestGrowthInBytes: Int {
    get { files.largestGrowthInBytes }
    set { files.largestGrowthInBytes = newValue }
  }

  /// The number of slots for readers in the lock file, from 1 to 65,536.
  ///
  /// Each open session and each inspector uses one or more slots, up to 8 for many simultaneous
  /// reads. When all are taken, openings and reads fail with ``LedgerError/Code/tooManyReaders``.
  ///
  /// A slot takes 64 bytes of the lock file, and a writer scans all slots in use to find the oldest reader.
  /// The number applies when a process opens the ledger while no other has it open: until the last process
  /// closes the ledger, the lock file keeps its size. On a full disk, an existing lock file keeps its number.
  public var maximumReaderCount: Int {
    get { files.maximumReaderCount }
    set { files.maximumReaderCount = newValue }
  }

  /// The conditions under which opening checks every page of the data file, and not only those that
  /// it touches.
  ///
  /// It checks at most 256 MiB, and takes at most two seconds.
  public var pageCheck: PageCheck {
    get { files.pageCheck }
    set { files.pageCheck = newValue }
  }

  /// All options for the files.
  package var files: FileOptions {
    get { storeOptions as? FileOptions ?? FileOptions() }
    set { storeOptions = newValue }
  }
}
