/// An open ledger: a session of this process on a ledger of durable promises.
///
/// Several processes may have the same ledger open, and one process may have several sessions on it. Sessions
/// of one process share the store's open files until the last of them freezes or closes.
///
/// The session ends with ``close()``, or when its last reference is released.
public final class Ledger: Sendable {
  package let engine: LedgerEngine
  package let configuration: LedgerConfiguration
  let runningCalls = RunningCalls()
  let automaticRunner = AutomaticRunner()
  let activeRunner = ActiveRunner()
  private let instances: SessionInstances
  var records: RecordReader { RecordReader(engine: engine, instances: instances) }

  /// The version of this library, as sessions record it.
  public static let libraryVersion = "0.1.0"

  /// The ledger's id.
  public let id: LedgerID

  /// This session.
  public var session: SessionID { engine.setup.session }

  /// The role of this session, which determines its permissions.
  public var role: SessionRole { engine.setup.opened.role }

  /// The app that this session belongs to, if several apps share the ledger.
  public var instance: String { engine.setup.opened.instance }

  /// The time by which this session judges what is due.
  ///
  /// Count deadlines from it, as in `ledger.now + .seconds(30)`. It is the time of
  /// ``LedgerConfiguration/clock`` if that is set. Otherwise it is the system clock's for a ledger in a directory,
  /// and the server's for a ledger on a server, whatever the clock of this host says; while that is frozen or closed,
  /// it is the system clock's.
  public var now: Timestamp { engine.currentTime }

  init(engine: LedgerEngine, configuration: LedgerConfiguration, id: LedgerID) {
    self.engine = engine
    instances = SessionInstances(engine.setup.session, engine.setup.opened.instance)
    self.configuration = configuration
    self.id = id
  }

  deinit {
    engine.closeDetached()
  }

  // MARK: The session's life

  /// Releases every lock, memory map and file descriptor, but keeps the session.
  ///
  /// Pending commands are written first. Another process that holds the writer gate cannot block the freeze:
  /// after ``LedgerConfiguration/freezeTimeout``, by default 250 ms, commands that were not written stay pending
  /// until ``unfreeze()``. If the freeze was not written either, it is noted outside the log, where other sessions
  /// look for this one, and the result is `false`; you need not do anything about it. Freezing a frozen ledger does
  /// nothing and has the same result.
  ///
  /// The session gives back the handler calls that it runs. Their code continues, and its result counts after
  /// ``unfreeze()``, unless another session has run the call again in the meantime. If calls do not wait
  /// while the ledger is frozen (``LedgerConfiguration/waitsWhileFrozen``), the result is lost, and the call
  /// must run again.
  ///
  /// iOS kills a suspended app that holds a lock in a shared container (0xdead10cc). When the app goes to the
  /// background, freeze every session of the process and close its inspectors.
  ///
  /// - Returns: Whether the freeze is recorded in the log.
  /// - Throws: ``LedgerError`` with `closed`; with `diskFull`, `ioFailure` or, for a ledger on a server, `unavailable`
  ///   if the freeze cannot be noted outside the log. The ledger is frozen then, too, but other sessions may take this
  ///   one for dead. If one did, ``unfreeze()`` throws `sessionEnded`: open the ledger again.
  @discardableResult
  public func freeze() async throws -> Bool {
    try await engine.freeze()
  }

  /// Ends a ``freeze()``: replays the events written in the meantime and delivers pending results, in the
  /// order of positions.
  ///
  /// - Throws: ``LedgerError`` with `sessionEnded` if another session found this one dead, and
  ///   `historyChanged` if another ledger has replaced this one: the ledger is then closed, and every waiting
  ///   task receives this error. With `closed`, `corrupt`, `writerStalled` and other failures to open it, the
  ///   ledger stays frozen, and you can try again.
  public func unfreeze() async throws {
    try await engine.unfreeze()
  }

  /// Ends the session.
  ///
  /// The session gives back the handler calls that it runs, and discards their results. If it runs work by
  /// configuration, it first gives the code that runs the ``RunnerLimits/gracePeriod`` to end, and leaves code
  /// behind that then ignores its cancellation. Pending commands are written first; tasks that await a promise
  /// receive ``LedgerError/Code/closed``. Closing twice is harmless. In a child of `fork` it does nothing.
  public func close() async {
    // In a child of a fork, the runner's task would never end.
    guard !engine.isForked else { return }
    await automaticRunner.stop()
    await engine.close()
  }

  // MARK: Threads

  /// Runs tasks on the thread that commits this session's commands, between its commits.
  ///
  /// Usually a command takes two changes of thread: to the one that commits, and back to the task. A task that
  /// prefers this executor needs neither, so a lone caller gets its answers sooner:
  ///
  /// ```swift
  /// Task(executorPreference: ledger.taskExecutor) {
  ///   let promise = try await ledger.createPromise(of: Receipt.self)
  ///   try await promise.fulfill(receipt)
  /// }
  /// ```
  ///
  /// While such a task runs, this session commits nothing, and while a commit runs or waits for another
  /// process or a server, such tasks wait. A task should therefore take little time between two suspensions,
  /// and must not block the thread: if it blocks it until the ledger has done something, it waits for ever.
  /// Code that is isolated to an actor runs where that actor runs.
  ///
  /// While the ledger is frozen, tasks run as before. Once it is closed, they run on another thread.
  public var taskExecutor: any TaskExecutor { engine.inbox.tasks }

  /// Brings this process up to the newest event and returns its position.
  ///
  /// You do not need this for correctness: every call catches up by itself. It is for tests and for showing
  /// progress.
  @discardableResult
  public func catchUp() async throws -> Position {
    try await engine.read { $0.position }
  }
}
