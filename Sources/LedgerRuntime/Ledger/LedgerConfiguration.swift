public import Logging

/// The options of a session on a ledger.
public struct LedgerConfiguration: Sendable {
  /// The name that distinguishes this app from others on the same ledger: 1 to 128 bytes of UTF-8.
  ///
  /// An app and its extensions use the same instance. ``Ledger/stalePromises(of:)``,
  /// ``Ledger/stalePromiseUpdates`` and ``stalePromisePolicy`` use it to offer an app only the promises that
  /// sessions of its own instance created.
  public var instance: String = "default"

  /// The maximum time that a command waits for another process that holds the writer gate, before
  /// it fails with ``LedgerError/Code/writerStalled``.
  ///
  /// Each command has this full time; time while the ledger is frozen does not count.
  public var writerStallTimeout: Duration = .seconds(5)

  /// The maximum time for which ``Ledger/freeze()`` waits to write the pending commands and the freeze itself.
  ///
  /// When it is over, commands that were not written stay pending until ``Ledger/unfreeze()``. If the freeze itself
  /// was not written, it is noted outside the log, and ``Ledger/freeze()`` returns `false`; nothing is lost. At
  /// zero, one group of commands and the freeze are tried once, without a wait for other writers. A negative time
  /// is refused with ``LedgerError/Code/invalidArgument`` when the ledger is opened.
  ///
  /// Raise it for a ledger on a server that is far away: a freeze takes a few round trips. On a device, keep it well
  /// below the time that the system leaves an app that goes to the background.
  public var freezeTimeout: Duration = .milliseconds(250)

  /// The interval at which a session looks for changes if it receives no signal. A lost signal delays it by
  /// at most this long.
  public var pollInterval: Duration = .seconds(1)

  /// The maximum size of an encoded value or error, in bytes.
  public var maximumPayloadSizeInBytes: Int = 16 << 20

  /// The maximum number of commands that wait for the writer; another one fails with
  /// ``LedgerError/Code/tooManyCommands``.
  ///
  /// Without a limit, a ledger that stays frozen, or a writer that is slower than its callers,
  /// would exhaust memory.
  public var maximumWaitingCommandCount: Int = 100_000

  /// The amount of work that may wait for a runner before this session starts no more; by default, any amount.
  ///
  /// Starting work that is due at once then fails with ``LedgerError/Code/tooManyQueued``. Set it in sessions whose callers can wait, so that they learn that work arrives faster than runners end it. Work
  /// of the whole ledger counts, of every kind, lane and session, if it waits only for a runner: not for a time, a
  /// promise or an operator. Work that waits for these may always be started, and so may the children of work.
  public var maximumQueuedWorkCount: Int?

  /// Whether calls made while the ledger is frozen wait for ``Ledger/unfreeze()``, rather than fail with
  /// ``LedgerError/Code/frozen``.
  public var waitsWhileFrozen: Bool = true

  /// The treatment of stale promises of this instance when an app opens the ledger.
  public var stalePromisePolicy: StalePromisePolicy = .keep

  /// The conditions under which a session with the role `app` compacts the ledger automatically; `nil` for
  /// never.
  ///
  /// By default, it compacts after 50,000 unfolded events. It then keeps events for 7 days, at least 1,000 of
  /// them, and the records of closed entities for 30 days.
  public var automaticCompaction: AutomaticCompaction? = AutomaticCompaction()

  /// The treatment of handler calls that a session gave back unfinished.
  public var unfinishedCallPolicy: UnfinishedCallPolicy = .keep

  /// The way in which the session runs work; by default, it runs none by itself.
  public var runner: RunnerPolicy = .manual

  /// The clock for deadlines and retention; by default the store's own clock.
  ///
  /// For a ledger in a directory, that is the system clock.
  public var clock: (any LedgerClock)?

  /// The generator of ids.
  public var idGenerator: any LedgerIDGenerator = RandomIDGenerator()

  /// The codecs for promise values whose types need more than `Codable`.
  public var codecs = PayloadCodecs()

  /// The logger for problems that have no caller to report to.
  public var logger = Logger(label: "promise-ledger")

  /// The registry of handlers; only the registry's own code knows its type.
  var handlerKinds: (any Sendable)?

  /// Options that the ledger's store adds; only the store knows their type.
  package var storeOptions: (any Sendable)?

  /// Hooks that let a test change the behavior of the session.
  package var hooks = EngineHooks()

  /// Makes a configuration with the defaults.
  public init() {}
}

extension LedgerConfiguration {
  /// The time that new ids contain.
  package var timeForIDs: Timestamp { (clock ?? SystemLedgerClock()).now() }
}
