package import LedgerLMDB
public import Logging

/// How a session uses a ledger.
public struct LedgerConfiguration: Sendable {
  /// Tells apart several apps on one ledger: 1 to 128 bytes of UTF-8.
  ///
  /// ``stalePromisePolicy`` concerns the promises of the same instance.
  public var instance: String = "default"

  /// How long a command waits for another process that holds the gate, before its caller gets
  /// ``LedgerError/Code/writerStalled``. Each command has this time for itself, counted while the
  /// ledger is not frozen.
  public var writerStallTimeout: Duration = .seconds(5)

  /// How often a session looks for changes when no signal came. A lost signal costs this delay.
  public var pollInterval: Duration = .seconds(1)

  /// The size in bytes that the ledger's data file shall not pass. The last 4 MiB are kept for
  /// consuming, freezing and compacting.
  public var sizeLimitInBytes: Int = 16 << 30

  /// The largest encoded value or error in bytes.
  public var maximumPayloadSizeInBytes: Int = 16 << 20

  /// How many commands may wait for the writer; the next one gets
  /// ``LedgerError/Code/tooManyCommands``. Without a limit a ledger that stays frozen, or a writer
  /// that is slower than its callers, would use up the memory.
  public var maximumWaitingCommandCount: Int = 100_000

  /// The number of slots for readers in the lock file, from 1 to 65,536. Each open session and each
  /// inspection keeps one or more slots, up to 8 if it reads much at once. When all are taken, openings
  /// and reads fail with ``LedgerError/Code/tooManyReaders``.
  ///
  /// A slot takes 64 bytes of the lock file, and each oldest-reader check of a writer looks at all slots
  /// in use. The number counts for the process that opens the ledger while no other has it open: until
  /// the last one closes it, the lock file keeps its size. On a full disk an old lock file keeps its
  /// number.
  public var maximumReaderCount: Int = Configuration.defaultMaximumReaders

  /// Whether calls made while the ledger is frozen wait for ``Ledger/unfreeze()``, or fail with
  /// ``LedgerError/Code/frozen``.
  public var waitsWhileFrozen: Bool = true

  /// What happens to stale promises of this instance when an app opens the ledger.
  public var stalePromisePolicy: StalePromisePolicy = .keep

  /// When a session of the role `app` compacts the ledger by itself; `nil` for never.
  ///
  /// By default it does so when 50,000 events were not folded. It then keeps events for 7 days and at
  /// least 1,000 of them, and records of what ended for 30 days.
  public var automaticCompaction: AutomaticCompaction? = AutomaticCompaction()

  /// The kinds of handlers that the session knows the code of.
  public var handlers = HandlerRegistry()

  /// What happens to calls of handlers that a session gave back unfinished.
  public var unfinishedCallPolicy: UnfinishedCallPolicy = .keep

  /// When opening looks at every page of the data file, and not only at those that it touches: at 256 MiB
  /// of it at most, and for two seconds at most.
  public var pageCheck: PageCheck = .afterUncleanEnd

  /// Tells the time, for deadlines.
  public var clock: any LedgerClock = SystemLedgerClock()

  /// Makes ids.
  public var idGenerator: any LedgerIDGenerator = RandomIDGenerator()

  /// Gets what goes wrong without a caller to tell.
  public var logger = Logger(label: "promise-ledger")

  /// How the environment is opened, for tests.
  package var environment = Configuration()

  /// Where a test may stop this process.
  package var hooks = StoreHooks()

  /// Makes a configuration with the defaults.
  public init() {}
}

/// When opening a ledger looks at every page of its data file.
///
/// LMDB has no checksums of pages: damage to a page's structure can end the process inside LMDB. Opening
/// always looks at the pages on the ways to what it touches. Looking at all of them takes about a tenth of
/// a second for 256 MiB that the system has in memory, and as long as reading them if it has not, as after
/// the machine started. Pages beyond 256 MiB, or that two seconds are not enough for, are not looked at.
public enum PageCheck: Sendable, Hashable {
  /// Never.
  case never
  /// If a session's process ended without closing or freezing the ledger, as after a power loss.
  ///
  /// The sign is the lock file that such a session leaves. There is none if the power cut took the file
  /// away, or if another session noted the end of that one and removed it. Use ``always`` where no end
  /// must be missed.
  case afterUncleanEnd
  /// At every opening, and when the ledger is unfrozen.
  case always
}

/// What happens to stale promises when an app opens a ledger.
///
/// It concerns promises whose creating session belongs to the same instance as the opening one.
public enum StalePromisePolicy: Sendable {
  /// They stay, to be listed, re-attached and consumed.
  case keep
  /// They stay, and the closure gets each of them, rejected ones with their error.
  case surface(@Sendable (PromiseRecord) async -> Void)
  /// The fulfilled ones are abandoned: nobody is left who wanted the value.
  case abandonFulfilled
}

/// The version of this library, as sessions record it.
public enum LibraryVersion: Sendable {
  /// The version of this build.
  public static let current = "0.1.0"
}
