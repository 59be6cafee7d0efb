import LedgerModel
public import LedgerRuntime
import Synchronization

/// A process of a ``LedgerTester``, with its session on the ledger.
///
/// All processes of a tester are in the process of the test. They share the ledger and the clock, and nothing
/// else: what one knows of the ledger, another learns from its events.
///
/// ```swift
/// let app = try await tester.app()
/// try await app.freeze()
/// // Other processes go on.
/// try await app.unfreeze()
/// ```
public final class LedgerProcess: Sendable {
  /// The condition of a process.
  @nonexhaustive public enum Condition: Sendable, Hashable {
    /// It runs.
    case running
    /// Its session is frozen; see ``LedgerProcess/freeze()``.
    case frozen
    /// It was stopped without warning; see ``LedgerProcess/suspend()``.
    case suspended
    /// Its session has ended in an orderly way, or by an error; see ``LedgerProcess/close()``.
    case closed
    /// It is gone; see ``LedgerProcess/kill()``.
    case killed
  }

  private struct State {
    var ledger: Ledger
    var gate: ProcessGate
    var isSuspended = false
    var isKilled = false

    var condition: Condition {
      if isKilled { return .killed }
      if isSuspended { return .suspended }
      // Code of the process may freeze or close its ledger, too.
      return switch ledger.engine.phase.current {
      case .open: .running
      case .frozen: .frozen
      case .closed: .closed
      }
    }

    /// Finished once the process no longer runs, by numbers.
    var watchers: [Int: AsyncStream<Never>.Continuation] = [:]
    var watcherCount = 0
    /// The runner, while the process runs work.
    var runner: PacedRunner?
    /// The sessions of the process, with those before restarts.
    var sessions: [SessionID]
  }

  /// The role of its sessions.
  public let role: SessionRole
  /// The number of the process in its tester, counted from 1.
  public let number: Int

  private weak let tester: LedgerTester?
  private let configuration: LedgerConfiguration
  private let patience: Duration
  private let state: Mutex<State>

  init(
    number: Int, as role: SessionRole, _ configuration: LedgerConfiguration, _ opened: Opened,
    in tester: LedgerTester, patience: Duration
  ) {
    self.number = number
    self.role = role
    self.tester = tester
    self.configuration = configuration
    self.patience = patience
    state = Mutex(
      State(ledger: opened.ledger, gate: opened.gate, sessions: [opened.ledger.session]))
    watch(opened.gate)
  }

  /// Has a gate tell when its session freezes or ends.
  private func watch(_ gate: ProcessGate) {
    gate.notes { [weak self] in self?.finishWatchersUnlessRunning() }
  }

  /// A session of a process.
  struct Opened: Sendable {
    let ledger: Ledger
    let gate: ProcessGate
  }

  /// The gate of its session, by which a store knows who uses it.
  var gate: ProcessGate { state.withLock { $0.gate } }

  /// The session of the process. ``restart()`` replaces it.
  public var ledger: Ledger { state.withLock { $0.ledger } }

  /// The condition of the process. Code that freezes or closes ``ledger`` changes it, too.
  public var condition: Condition { state.withLock { $0.condition } }

  /// The sessions of the process, with those before restarts.
  var sessions: [SessionID] { state.withLock { $0.sessions } }

  /// A promise, as this process sees it.
  ///
  /// - Throws: `LedgerError` with `invalidArgument` if the values need a codec that the process lacks.
  public func promise<Value: Sendable>(
    _ promise: DurablePromise<Value>
  ) throws(LedgerError) -> DurablePromise<Value> {
    try ledger.promise(id: promise.id, of: Value.self)
  }

  /// A handler, as this process sees it.
  public func handler(_ handler: DurableHandler) -> DurableHandler {
    ledger.handler(id: handler.id)
  }

  // MARK: Freezing

  /// Freezes the session, as an app does before the system suspends it: `Ledger.freeze()`.
  ///
  /// - Throws: `LedgerError` with `invalidArgument` if the process is suspended; otherwise as
  ///   `Ledger.freeze()`.
  public func freeze() async throws {
    try requireNotSuspended()
    try await ledger.freeze()
  }

  /// Ends a freeze: `Ledger.unfreeze()`. Deadlines that passed meanwhile, and deaths of other processes that none
  /// noticed, have their effects when it returns.
  ///
  /// - Throws: As `Ledger.unfreeze()`; ``WaitedInVain`` if a deadline or a death has no effect in
  ///   time.
  public func unfreeze() async throws {
    try requireNotSuspended()
    try await ledger.unfreeze()
    try await catchUpAfterPause()
  }

  /// Does what the process would do a moment later.
  private func catchUpAfterPause() async throws {
    try await tester?.noticeDeaths()
    try await settleDeadlines()
  }

  // MARK: Suspending

  /// Stops the process without warning, as the system does with a process that did not freeze.
  ///
  /// Until ``resume()``, it writes nothing and notices nothing, and others find it alive. Commands that the
  /// test gives it wait. Do not wait for them before it is resumed. A process that does not run stays as it is.
  public func suspend() async throws {
    let gate = state.withLock { state -> ProcessGate? in
      guard state.condition == .running else { return nil }
      state.isSuspended = true
      return state.gate
    }
    guard let gate else { return }
    finishWatchersUnlessRunning()
    let store = try ledger.engine.currentStore
    await gate.suspend { store.interruptWaits() }
  }

  /// Lets a suspended process go on. Deadlines that passed meanwhile, and deaths of other processes that none noticed,
  /// have their effects when it returns.
  ///
  /// - Throws: `LedgerError` if the ledger cannot be read; ``WaitedInVain`` if a deadline or a death has no effect in
  ///   time.
  public func resume() async throws {
    let gate = state.withLock { state -> ProcessGate? in
      guard state.condition == .suspended else { return nil }
      state.isSuspended = false
      return state.gate
    }
    guard let gate else { return }
    gate.resume()
    try await catchUpAfterPause()
  }

  private func requireNotSuspended() throws(LedgerError) {
    guard condition == .suspended else { return }
    throw LedgerError(
      .invalidArgument, "Process \(number) is suspended, and cannot do anything. Resume it first.")
  }

  // MARK: Ending

  /// Ends the process as the operating system would: without warning.
  ///
  /// Nothing that its code does afterwards reaches the ledger, not even the end of the session, and an operation
  /// that waits at a ``FaultGate`` is not done. The tasks of its code are cancelled, and are not waited for. The
  /// attempts that it runs are given back by another process: one that runs now, or the next one that opens. A run
  /// of the killed process ends with `sessionEnded`, and so does every other call of its session.
  ///
  /// If fault plans hold up all processes that run, this returns once the patience of the tester ends, however many
  /// they are, and the attempts are given back when a process goes on.
  ///
  /// Nothing that a handler does after it kills its own process reaches the ledger; its code runs on until it notices
  /// the cancellation of its task.
  public func kill() async {
    let killed = state.withLock { state -> State? in
      guard !state.isKilled else { return nil }
      state.isKilled = true
      state.gate.kill()
      return state
    }
    guard let killed else { return }
    finishWatchersUnlessRunning()
    let tester = tester
    tester?.faults.noteDeath()
    // Detached, because this may be code of the process, whose task is cancelled.
    await Task.detached {
      await killed.ledger.engine.die()
      await killed.gate.end()
      killed.runner?.abandon()
      // Processes that are held up have noticed, and give the attempts back later.
      _ = try? await tester?.giveBackRuns(of: [killed.ledger.session])
    }.value
  }

  /// Kills the process, unless it is killed, and starts it again with the same configuration.
  ///
  /// - Returns: The new session.
  /// - Throws: As ``LedgerTester/open(_:as:)-(LedgerConfiguration,_)``, and `closed` if the tester is gone.
  @discardableResult
  public func restart() async throws -> Ledger {
    await kill()
    guard let tester else { throw LedgerError.testerGone }
    let opened = try await tester.openSession(configuration, as: role, by: gate.user)
    state.withLock { state in
      state.ledger = opened.ledger
      state.gate = opened.gate
      state.isSuspended = false
      state.isKilled = false
      state.runner = nil
      state.sessions.append(opened.ledger.session)
    }
    watch(opened.gate)
    return opened.ledger
  }

  /// Ends the session in an orderly way, as a program does at its end: `Ledger.close()`.
  ///
  /// ``restart()`` opens another one. A suspended process is resumed first; a killed one stays as it is.
  public func close() async {
    let (gate, isKilled) = state.withLock { state in
      state.isSuspended = false
      return (state.gate, state.isKilled)
    }
    guard !isKilled else { return }
    gate.resume()
    await ledger.close()
  }

  /// The sessions of the process that were killed.
  var killedSessions: [SessionID] {
    state.withLock { $0.isKilled ? $0.sessions : $0.sessions.dropLast() }
  }

  // MARK: Running

  /// Calls `body`, which uses the ledger, and cancels it as soon as the process no longer runs.
  ///
  /// - Returns: What `body` returns, or `nil` if the process no longer runs.
  func whileRunning<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R? {
    let (end, continuation) = AsyncStream.makeStream(of: Never.self)
    let number = state.withLock { state in
      state.watcherCount += 1
      state.watchers[state.watcherCount] = continuation
      return state.watcherCount
    }
    finishWatchersUnlessRunning()
    defer { state.withLock { $0.watchers[number] = nil } }
    return try await withThrowingTaskGroup(of: R?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        for await _ in end {}
        return nil
      }
      defer { group.cancelAll() }
      do {
        return try await group.next() ?? nil
      } catch {
        if condition == .running { throw error }
        return nil
      }
    }
  }

  /// Tells those that follow the process that it no longer runs.
  private func finishWatchersUnlessRunning() {
    let watchers = state.withLock { state -> [AsyncStream<Never>.Continuation] in
      guard state.condition != .running else { return [] }
      defer { state.watchers = [:] }
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.finish() }
  }

  /// Calls `body` while the process runs work.
  func withSession(
    _ limits: RunLimits, _ clock: ManualLedgerClock, _ body: (PacedSession) async throws -> Void
  ) async throws {
    try requireNotSuspended()
    guard condition != .frozen else {
      throw LedgerError(
        .invalidArgument, "Process \(number) is frozen, and runs nothing. Unfreeze it first.")
    }
    let ledger = ledger
    let runner = try PacedRunner(ledger)
    state.withLock { $0.runner = runner }
    defer { state.withLock { $0.runner = nil } }
    let session = PacedSession(
      ledger: ledger, runner: runner, clock: clock, limits: limits)
    do {
      try await body(session)
      await runner.stop()
    } catch {
      await runner.stop()
      throw error
    }
  }

  /// Records the end of a session whose process is gone, which gives its attempts back.
  ///
  /// - Returns: Whether this process still ran when that was recorded.
  /// - Throws: `LedgerError` if the ledger cannot be read.
  func giveBackRuns(of session: SessionID) async throws -> Bool {
    let ledger = ledger
    let end: Void? = try await whileRunning {
      try await Self.giveBackRuns(of: session, in: ledger)
    }
    return end != nil
  }

  private static func giveBackRuns(of session: SessionID, in ledger: Ledger) async throws {
    guard try await ledger.engine.noticeDeath(of: session) else { return }
    while true {
      let (position, isOpen) = try await ledger.engine.read(fromCopy: true) { state in
        (state.position, try state.session(session).map { !$0.isEnded } ?? false)
      }
      guard isOpen else { return }
      // Its writer is about to record the end.
      try await ledger.engine.advance(past: position)
    }
  }

  /// Waits until every deadline that has passed has its effect.
  ///
  /// - Throws: ``WaitedInVain``.
  func settleDeadlines() async throws {
    let ledger = ledger
    try await wait(for: "the effects of deadlines that have passed", patience) {
      try await Self.settleDeadlines(of: ledger)
    }
  }

  private static func settleDeadlines(of ledger: Ledger) async throws {
    guard let clock = ledger.configuration.clock else { return }
    while true {
      let (position, deadline) = try await ledger.engine.read(fromCopy: true) { state in
        var state = state
        return (state.position, try state.nextDeadline()?.deadline)
      }
      guard let deadline, deadline <= clock.now() else { return }
      // Its writer is about to settle the promise.
      try await ledger.engine.advance(past: position)
    }
  }
}

extension LedgerError {
  fileprivate static var testerGone: LedgerError {
    LedgerError(.closed, "The tester is gone. Keep it as long as its processes are used.")
  }
}
