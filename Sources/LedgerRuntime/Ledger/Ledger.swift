/// An open ledger: a session of this process on a ledger of durable promises.
///
/// Several processes may have the same ledger open, and one process may have several sessions on it.
/// These share what the store keeps open, until the last of them freezes or closes.
///
/// The session ends with ``close()``, or when the last reference is gone.
public final class Ledger: Sendable {
  package let engine: LedgerEngine
  package let configuration: LedgerConfiguration
  let runningCalls = RunningCalls()
  private let instances: SessionInstances
  var records: RecordReader { RecordReader(engine: engine, instances: instances) }

  /// The ledger's id.
  public let id: LedgerID

  /// This session.
  public var session: SessionID { engine.setup.session }

  /// What this session may do.
  public var role: SessionRole { engine.setup.opened.role }

  /// Which of several apps on one ledger this session belongs to.
  public var instance: String { engine.setup.opened.instance }

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

  /// Lets go of every lock, map and descriptor, and keeps the session.
  ///
  /// What waits to be written is written first. Another process that keeps the gate cannot hold this
  /// up: after 250 ms commands stay waiting, the freeze is noted outside of the log, where other sessions
  /// look for this one, and `false` comes back. Freezing a frozen ledger does nothing.
  ///
  /// The calls of handlers that the session runs are given back. Their code goes on; its end counts
  /// after ``unfreeze()``, unless another session ran the call again meanwhile, or calls do not wait
  /// while the ledger is frozen (``LedgerConfiguration/waitsWhileFrozen``): then it is lost, and the call
  /// is to be run again.
  ///
  /// iOS kills a suspended app that holds a lock in a shared container (0xdead10cc), so freeze when
  /// the app goes to the background, every session of the process, and close what it inspects.
  ///
  /// - Returns: Whether the freeze stands in the log.
  /// - Throws: ``LedgerError`` with `closed`, or `ioFailure` if the freeze cannot be noted.
  @discardableResult
  public func freeze() async throws -> Bool {
    try await engine.freeze()
  }

  /// Comes back from ``freeze()``: replays what happened meanwhile and delivers what is due, in the
  /// order of positions.
  ///
  /// - Throws: ``LedgerError`` with `sessionEnded` if another app session of the same instance took
  ///   this one for dead, and `historyChanged` if another ledger stands where this one was: the
  ///   ledger is then closed, and every task that waits gets this error. With `closed`, `corrupt`,
  ///   `writerStalled` and other failures of opening the ledger stays frozen, and unfreezing can be
  ///   tried again.
  public func unfreeze() async throws {
    try await engine.unfreeze()
  }

  /// Ends the session. The calls of handlers that it runs are given back, and their ends count for
  /// nothing. Pending commands are written first; tasks that await a promise get
  /// ``LedgerError/Code/closed``. Closing twice is harmless.
  public func close() async {
    await engine.close()
  }

  /// Brings this process up to the newest event and returns its position.
  ///
  /// Nothing needs this: every call catches up by itself. It is for tests and for showing progress.
  @discardableResult
  public func catchUp() async throws -> Position {
    try await engine.read { $0.position }
  }
}
