package import LedgerLMDB

/// The options of an LMDB store.
package struct StoreOptions: Sendable {
  /// The maximum size of the ledger's data file, in bytes.
  package var sizeLimit: Int
  /// The part of the limit that is reserved for commands that a full ledger must still accept, in bytes.
  package var reserve: Int
  /// The maximum number of bytes by which a commit extends the file beyond its needs.
  package var largestGrowth: Int
  package var environment: Configuration
  package var hooks: StoreHooks

  package init(
    sizeLimit: Int, reserve: Int = 4 << 20, largestGrowth: Int = Self.defaultLargestGrowth,
    environment: Configuration = Configuration(), maximumReaderCount: Int? = nil,
    hooks: StoreHooks = StoreHooks()
  ) {
    self.sizeLimit = sizeLimit
    self.reserve = reserve
    self.largestGrowth = largestGrowth
    self.environment = environment
    if let maximumReaderCount { self.environment.maximumReaders = maximumReaderCount }
    self.hooks = hooks
  }

  package static let defaultLargestGrowth = 1 << 20

  /// How commits extend the file.
  var growth: FileGrowth { FileGrowth(largestStep: largestGrowth, sizeLimit: sizeLimit - reserve) }

  /// The part of the limit, before the reserve, in which no more work is started: with the reserve, the last 64 MiB
  /// of a large ledger.
  package var roomForRunningWork: Int {
    max(0, min((64 << 20) - reserve, (sizeLimit - reserve) / 8))
  }

  /// Enables a check of every page before LMDB walks the file, as far as that is quick.
  mutating func checksEveryPage() {
    environment.treeCheck = .bounded
  }
}

/// Points at which a test may stop, kill or examine a process.
package struct StoreHooks: Sendable {
  /// Called with the writer gate held, before the transaction begins.
  package var gatePassed: (@Sendable () -> Void)?
  /// Called inside the write transaction, before its commit.
  package var beforeCommit: (@Sendable () -> Void)?
  /// Called with the writer gate held, when the commit is durable but no caller has been answered yet.
  package var committed: (@Sendable () -> Void)?
  /// Called after each step of a shrink.
  package var shrinkStep: (@Sendable (ShrinkStep) -> Void)?

  package init() {}
}

/// A step of a shrink at which a test may stop it.
package enum ShrinkStep: Sendable, Hashable {
  /// The data is copied and verified.
  case copied
  /// The new files have their name.
  case named
  /// Writers wait.
  case gatePassed
  /// The old files are sealed.
  case sealed
  /// CURRENT names the new files, which are still sealed.
  case switched
}
