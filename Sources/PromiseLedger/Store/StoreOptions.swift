package import LedgerLMDB

/// What an LMDB store is opened with.
package struct StoreOptions: Sendable {
  /// The size in bytes that the ledger's data file shall not pass.
  package var sizeLimit: Int
  /// The part of the limit in bytes that is kept for what a full ledger must still take.
  package var reserve: Int
  package var environment: Configuration
  package var hooks: StoreHooks

  package init(
    sizeLimit: Int, reserve: Int = 4 << 20, environment: Configuration = Configuration(),
    maximumReaderCount: Int? = nil, hooks: StoreHooks = StoreHooks()
  ) {
    self.sizeLimit = sizeLimit
    self.reserve = reserve
    self.environment = environment
    if let maximumReaderCount { self.environment.maximumReaders = maximumReaderCount }
    self.hooks = hooks
  }

  /// Has every page looked at before LMDB walks the file, as far as that is quick.
  mutating func checksEveryPage() {
    environment.treeCheck = .bounded
  }
}

/// Places where a test may stop, kill or look at a process.
package struct StoreHooks: Sendable {
  /// Called with the gate held, before the transaction begins.
  package var gatePassed: (@Sendable () -> Void)?
  /// Called inside the write transaction, before its commit.
  package var beforeCommit: (@Sendable () -> Void)?
  /// Called with the gate held, when the commit is durable and no caller was answered yet.
  package var committed: (@Sendable () -> Void)?

  package init() {}
}
