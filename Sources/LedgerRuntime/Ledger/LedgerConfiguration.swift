public import Logging

/// How a session uses a ledger.
public struct LedgerConfiguration: Sendable {
  /// Tells apart several apps on one ledger: 1 to 128 bytes of UTF-8.
  ///
  /// An app and its extensions have the same. ``Ledger/stalePromises(of:)``,
  /// ``Ledger/stalePromiseUpdates`` and ``stalePromisePolicy`` go by it: an app is offered the promises
  /// that sessions of its own instance created.
  public var instance: String = "default"

  /// How long a command waits for another process that holds the gate, before its caller gets
  /// ``LedgerError/Code/writerStalled``. Each command has this time for itself, counted while the
  /// ledger is not frozen.
  public var writerStallTimeout: Duration = .seconds(5)

  /// How often a session looks for changes when no signal came. A lost signal costs this delay.
  public var pollInterval: Duration = .seconds(1)

  /// The largest encoded value or error in bytes.
  public var maximumPayloadSizeInBytes: Int = 16 << 20

  /// How many commands may wait for the writer; the next one gets
  /// ``LedgerError/Code/tooManyCommands``. Without a limit a ledger that stays frozen, or a writer
  /// that is slower than its callers, would use up the memory.
  public var maximumWaitingCommandCount: Int = 100_000

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

  /// What happens to calls of handlers that a session gave back unfinished.
  public var unfinishedCallPolicy: UnfinishedCallPolicy = .keep

  /// Tells the time for deadlines and retention in place of the store's own; by default the store does.
  ///
  /// That of a ledger in a directory is the clock of the system.
  public var clock: (any LedgerClock)?

  /// Makes ids.
  public var idGenerator: any LedgerIDGenerator = RandomIDGenerator()

  /// How values of promises are encoded whose types need more than `Codable`.
  public var codecs = PayloadCodecs()

  /// Gets what goes wrong without a caller to tell.
  public var logger = Logger(label: "promise-ledger")

  /// The registry of handlers, which alone knows the type.
  var handlerKinds: (any Sendable)?

  /// What the store of the ledger adds; it alone knows the type.
  package var storeOptions: (any Sendable)?

  /// Where a test may change what the session does.
  package var hooks = EngineHooks()

  /// Makes a configuration with the defaults.
  public init() {}
}

/// What happens to stale promises when an app opens a ledger.
///
/// It concerns promises whose creating session belongs to the same instance as the opening one.
public enum StalePromisePolicy: Sendable {
  /// They stay, to be listed, re-attached and consumed.
  case keep
  /// They stay, and the closure gets each of them, rejected ones with their error.
  case surface(@Sendable (PromiseRecord) async -> Void)
  /// The fulfilled ones are abandoned: the session that wanted the value is gone.
  case abandonFulfilled
}

/// The version of this library, as sessions record it.
public enum LibraryVersion: Sendable {
  /// The version of this build.
  public static let current = "0.1.0"
}

extension LedgerConfiguration {
  /// The time that new ids show.
  package var timeForIDs: Timestamp { (clock ?? SystemLedgerClock()).now() }
}
