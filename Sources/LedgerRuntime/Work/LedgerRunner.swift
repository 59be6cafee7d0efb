/// Runs the work of a ledger in this process.
///
/// ```swift
/// var configuration = LedgerConfiguration()
/// try configuration.handlers.register(SendReceipt.self) { mailer }
/// let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
/// try await LedgerRunner(ledger).run()
/// ```
///
/// Any number of processes may have a runner on the same ledger: each attempt is started in the ledger before
/// its code runs, and only the newest attempt counts. No work is taken from a process that lives and is not
/// frozen, unless the work has an ``WorkOptions/attemptTimeout``: a session holds a lock that ends with its
/// process.
///
/// Work is started in the order in which it became due, each step of its priority counting as a minute. Work
/// of a lane waits for its turn; see ``WorkLane``.
public final class LedgerRunner: Sendable {
  /// The kinds of work that a runner runs.
  public struct Kinds: Sendable, Hashable {
    fileprivate let names: Set<String>?

    /// All kinds that the session knows.
    public static let all = Kinds(names: nil)

    /// Some of the kinds that the session knows, by their present names.
    public static func named(_ kinds: String...) -> Kinds { Kinds(names: Set(kinds)) }
  }

  private let ledger: Ledger
  private let kinds: Kinds
  private let limits: RunnerLimits

  /// Makes a runner; it does nothing until ``run()`` or ``drain(until:)`` is called.
  ///
  /// - Parameters:
  ///   - ledger: The ledger. The runner keeps it open.
  ///   - kinds: The kinds of work that it runs. Work of other kinds waits for other processes.
  ///   - limits: The amount of work that runs at once.
  public init(_ ledger: Ledger, runs kinds: Kinds = .all, limits: RunnerLimits = RunnerLimits()) {
    self.ledger = ledger
    self.kinds = kinds
    self.limits = limits
  }

  /// Runs work until the task is cancelled, or the ledger is closed.
  ///
  /// When the task is cancelled, no more work is started, running code has the
  /// ``RunnerLimits/gracePeriod`` to end, and is then cancelled. Code that ignores the cancellation is left behind
  /// after another second: it can record nothing more. All work whose code has not ended is given back, and the
  /// method returns. With the trait `ServiceLifecycle` of this package, it does the same at a graceful shutdown.
  ///
  /// If the ledger is full, or cannot be read or written to for a time, the runner logs that and tries again.
  ///
  /// While the ledger is frozen, the runner waits. Code that runs goes on, and its result counts after
  /// ``Ledger/unfreeze()``, unless another process has run the work meanwhile.
  ///
  /// - Throws: ``LedgerError`` with `invalidArgument` if a limit is less than 1, a kind is unknown, or another
  ///   runner of the same session is running; with `sessionEnded`, `historyChanged` or `sealed` if the session can
  ///   do nothing more: open the ledger again.
  @concurrent public func run() async throws {
    let loop = try loop()
    #if ServiceLifecycle
      try await loop.runUntilShutdown()
    #else
      try await loop.runUntilStopped()
    #endif
  }

  /// Runs the work that is due now, and what becomes due meanwhile, then returns; for an app extension, or a
  /// background task with little time.
  ///
  /// It returns at the deadline even if the ledger is frozen, or another process holds up a commit.
  ///
  /// - Parameter deadline: The time at which code that still runs is cancelled, by the ledger's clock; its work
  ///   is given back. Code that ignores the cancellation is left behind after another second. No work is
  ///   started in the last 5 seconds before the deadline, or in the second half of the time if that is
  ///   shorter.
  /// - Returns: Whether no due work is left that this runner could run.
  /// - Throws: As ``run()``, and `CancellationError`.
  @concurrent @discardableResult
  public func drain(until deadline: Timestamp) async throws -> Bool {
    let loop = try loop()
    try loop.begin(startingUntil: nil)
    defer { loop.end() }
    do {
      let isDone = try await loop.drain(until: deadline)
      await loop.stop(after: .zero)
      return isDone
    } catch {
      await loop.stop(after: .zero)
      throw error
    }
  }

  private func loop() throws(LedgerError) -> WorkLoop {
    try WorkLoop(ledger, kinds: kinds.names, limits)
  }
}
