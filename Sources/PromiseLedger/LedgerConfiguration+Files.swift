package import LedgerLMDB

/// How a session uses the files of a ledger.
package struct FileOptions: Sendable {
  package var sizeLimitInBytes = 16 << 30
  package var maximumReaderCount = Configuration.defaultMaximumReaders
  package var pageCheck = PageCheck.afterUncleanEnd
  /// How the environment is opened, for tests.
  package var environment = Configuration()
  /// Where a test may stop this process.
  package var hooks = StoreHooks()
}

extension LedgerConfiguration {
  /// The maximum size of the data file, in bytes. The last 4 MiB are kept for
  /// consuming, freezing and compacting. By default 16 GiB.
  public var sizeLimitInBytes: Int {
    get { files.sizeLimitInBytes }
    set { files.sizeLimitInBytes = newValue }
  }

  /// The number of slots for readers in the lock file, from 1 to 65,536. Each open session and each
  /// inspection keeps one or more slots, up to 8 if it reads much at once. When all are taken, openings
  /// and reads fail with ``LedgerError/Code/tooManyReaders``.
  ///
  /// A slot takes 64 bytes of the lock file, and each oldest-reader check of a writer looks at all slots
  /// in use. The number counts for the process that opens the ledger while no other has it open: until
  /// the last one closes it, the lock file keeps its size. On a full disk an old lock file keeps its
  /// number.
  public var maximumReaderCount: Int {
    get { files.maximumReaderCount }
    set { files.maximumReaderCount = newValue }
  }

  /// When opening looks at every page of the data file, and not only at those that it touches: at 256 MiB
  /// of it at most, and for two seconds at most.
  public var pageCheck: PageCheck {
    get { files.pageCheck }
    set { files.pageCheck = newValue }
  }

  /// The options of the files, all of them.
  package var files: FileOptions {
    get { storeOptions as? FileOptions ?? FileOptions() }
    set { storeOptions = newValue }
  }
}
