import LedgerModel
public import LedgerRuntime
import Synchronization

/// A ledger in memory for tests of work, with a clock that jumps to what is due next.
///
/// Each session that it opens counts as a process of its own, which can be killed.
///
/// ```swift
/// let tester = WorkTester()
/// let worker = try await tester.open(handlers)
/// let promise = try await worker.start(ApproveExpense(expense: expense))
/// let outcome = try await tester.run(worker, until: promise)
/// ```
public final class WorkTester: Sendable {
  private struct Process {
    weak var ledger: Ledger?
    /// The runner, while the process runs work.
    var runner: PacedRunner?
    var isKilled = false
  }

  private struct Contents {
    var processCount: UInt16 = 0
    var processes: [SessionID: Process] = [:]
  }

  /// The clock of all processes.
  public let clock: ManualLedgerClock

  private let maximumJumpCount: Int
  private let patience: Duration
  private let store = InMemoryEventStore()
  private let sessions = InMemorySessions()
  private let contents = Mutex(Contents())

  /// Makes a tester with an empty ledger.
  ///
  /// - Parameters:
  ///   - clock: The clock of all processes.
  ///   - maximumJumpCount: The maximum number of times that one run moves the clock.
  ///   - patience: The maximum time for which a run waits for code, by the clock of the machine.
  public init(
    clock: ManualLedgerClock = ManualLedgerClock(), maximumJumpCount: Int = 1_000,
    patience: Duration = .seconds(60)
  ) {
    self.clock = clock
    self.patience = patience
    self.maximumJumpCount = maximumJumpCount
  }

  // MARK: Processes

  /// Opens the ledger in a new process, which knows some kinds of work and handlers.
  ///
  /// Its ids come from a sequence, so that two runs of a test make the same ids. It runs work only while
  /// ``run(_:until:)``, ``runUntilIdle(_:)`` or ``runDue(_:)`` does.
  ///
  /// - Returns: The session of the process.
  public func open(
    _ handlers: HandlerRegistry = HandlerRegistry(), as role: SessionRole = .app
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.handlers = handlers
    return try await open(configuration, as: role)
  }

  /// Opens the ledger in a new process with a configuration, whose clock, generator of ids and runner are
  /// replaced.
  ///
  /// - Returns: The session of the process.
  /// - Throws: ``LedgerError`` with `invalidArgument` if the configuration has an invalid value.
  public func open(
    _ configuration: LedgerConfiguration, as role: SessionRole = .app
  ) async throws -> Ledger {
    let number = contents.withLock { contents in
      contents.processCount &+= 1
      return contents.processCount
    }
    var configuration = configuration
    configuration.clock = clock
    configuration.idGenerator = SequentialIDGenerator(seed: number)
    configuration.runner = .manual
    let ledger = try await Ledger.open(
      { [store] () throws(LedgerError) in store }, sessions, as: role,
      configuration: configuration)
    contents.withLock { $0.processes[ledger.session] = Process(ledger: ledger) }
    return ledger
  }

  /// Ends a process as the operating system would: without warning.
  ///
  /// Nothing that its code does afterwards reaches the ledger, not even the end of the session. The tasks of its
  /// code are cancelled, and are not waited for. The attempts that it runs are given back by another process:
  /// one that is open now, or the next one that opens. A run of the killed process ends with
  /// ``LedgerError/Code/sessionEnded``, and so does every other call of its session.
  ///
  /// Code may kill its own process, to be cut off at a certain line.
  public func kill(_ process: Ledger) async {
    let id = process.session
    let killed = contents.withLock { contents -> Process? in
      guard let known = contents.processes[id], !known.isKilled else { return nil }
      contents.processes[id]?.isKilled = true
      return known
    }
    guard let killed else { return }
    // Detached, because this may be code of the process, whose task is cancelled.
    await Task.detached { [self] in
      await process.engine.die()
      sessions.forget(id)
      killed.runner?.abandon()
      await giveBackRuns(of: id)
    }.value
  }

  /// Lets a process that lives give back what a killed one ran.
  private func giveBackRuns(of killed: SessionID) async {
    let others = contents.withLock { contents in
      contents.processes.values.compactMap { $0.isKilled ? nil : $0.ledger }
    }
    for other in others {
      // A session that was closed cannot; without another one, the next that opens does.
      if await (try? other.giveBackRuns(of: killed)) != nil { return }
    }
  }

  // MARK: Running

  /// Runs the work that a process knows until a promise is settled. Whenever nothing is due, it moves the clock
  /// to the earliest time that something waits for: work, a failed step, or a deadline.
  ///
  /// At the end, code that still runs is cancelled, and its work is given back.
  ///
  /// - Parameters:
  ///   - process: A process of this tester.
  ///   - promise: The promise, from any process.
  /// - Returns: The outcome of the promise.
  /// - Throws: ``WorkStandstill`` if nothing is due and nothing waits for a time: settle the promise that the
  ///   work waits for, or run another process that knows the kind; if the clock was moved too often; or if code
  ///   does not end.
  ///   ``LedgerError`` with `sessionEnded` if the process is killed, `notFound` if the ledger has no such
  ///   promise, `promiseAbandoned` if the promise is abandoned, and `invalidArgument` if the process is not of
  ///   this tester or is running already.
  public func run<Value: Sendable>(
    _ process: Ledger, until promise: DurablePromise<Value>
  ) async throws -> PromiseOutcome<Value> {
    try await withSession(of: process) { try await $0.run(until: promise.id) }
    return try await process.promise(id: promise.id, of: Value.self).outcome
  }

  /// Runs the work that a process knows until nothing is due and nothing waits for a time.
  ///
  /// - Throws: As ``run(_:until:)``.
  public func runUntilIdle(_ process: Ledger) async throws {
    try await withSession(of: process) { try await $0.run(until: nil) }
  }

  /// Runs the work of a process that is due now, and what becomes due without moving the clock.
  ///
  /// - Throws: ``WorkStandstill`` if code does not end; ``LedgerError`` as ``run(_:until:)``.
  public func runDue(_ process: Ledger) async throws {
    try await withSession(of: process) { try await $0.runDue() }
  }

  private func withSession(
    of process: Ledger, _ body: (PacedSession) async throws -> Void
  ) async throws {
    let id = process.session
    guard contents.withLock({ $0.processes[id] != nil }) else {
      throw LedgerError(
        .invalidArgument, "Session \(id) was not opened by this tester. Open it with open(_:as:).")
    }
    let runner = try PacedRunner(process)
    contents.withLock { $0.processes[id]?.runner = runner }
    defer { contents.withLock { $0.processes[id]?.runner = nil } }
    let session = PacedSession(
      ledger: process, runner: runner, clock: clock, maximumJumpCount: maximumJumpCount,
      patience: patience)
    do {
      try await body(session)
      await runner.stop()
    } catch {
      await runner.stop()
      throw error
    }
  }
}

extension Ledger {
  /// Records the end of a session whose process is gone, which gives its attempts back.
  fileprivate func giveBackRuns(of session: SessionID) async throws {
    guard try await engine.noticeDeath(of: session) else { return }
    for try await _ in events() {
      guard try await openSessions().contains(where: { $0.id == session }) else { return }
    }
  }
}
