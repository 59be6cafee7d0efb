import LedgerPromises
import LedgerSystem
package import Logging
import Synchronization

/// A running session: a replica of the state, a writer thread, and a thread that listens for other processes.
package final class LedgerEngine: Sendable {
  /// The components of a session.
  package struct Setup: Sendable {
    package var openStore: @Sendable () throws(LedgerError) -> any EventStore
    /// The registry that knows which sessions are alive.
    package var sessions: any SessionRegistry
    package var session: SessionID
    package var opened: SessionOpened
    /// The clock to use instead of the store's time, if any.
    package var clock: (any LedgerClock)?
    package var stallTimeout: Duration
    package var freezeTimeout: Duration
    package var pollInterval: Duration
    package var maximumWaitingCommandCount = Int.max
    package var maximumQueuedWorkCount: Int?
    package var waitsWhileFrozen: Bool
    /// Called on the writer's thread after each commit.
    package var committed: (@Sendable (LedgerEngine) -> Void)?
    package var hooks = EngineHooks()
    package var logger: Logger
  }

  package let setup: Setup
  package let replica = Replica()
  let inbox: Inbox
  package let phase: SessionPhase
  let compactionLock = CompactionLock()
  /// The executor of compactions, because each step blocks for some milliseconds.
  let compactionExecutor = ThreadTaskExecutor(name: "ledger-compact")
  /// The executor for reads of a remote store, which may block until the store answers.
  let readExecutor = ThreadTaskExecutor(
    name: "ledger-read", maximumThreadCount: LedgerEngine.maximumReadCount)
  private let headChecks = HeadChecks()

  /// The maximum number of simultaneous reads of a remote store.
  static let maximumReadCount = 4

  /// How long after the deadline of another session's promise this session times it out, if the store is remote.
  ///
  /// It differs between sessions, which would all commit at the same moment otherwise. Later deadlines wait as long,
  /// even those of own promises.
  let foreignDeadlineDelay = Duration.milliseconds(Int.random(in: 1...200))

  /// The order in which the other sessions are checked.
  let sessionRound: Mutex<SessionRound>
  /// Wakes the runner when the listener polls and work will soon be due.
  let alarm = Alarm()
  /// Wakes the listener when the session unfreezes or closes.
  let listenerWakeUp = WakeSemaphore()

  private init(_ setup: Setup) {
    self.setup = setup
    phase = SessionPhase(setup.clock)
    inbox = Inbox(maximumJobCount: setup.maximumWaitingCommandCount)
    sessionRound = Mutex(SessionRound(of: setup.session))
  }

  /// Opens a session; its threads run until it is closed.
  package static func open(_ setup: Setup) async throws -> LedgerEngine {
    let engine = LedgerEngine(setup)
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      do throws(SystemError) {
        _ = try SystemThread.start(name: "ledger-writer") {
          engine.runWriter { continuation.resume(with: $0) }
        }
      } catch {
        continuation.resume(
          throwing: LedgerError(error, "The ledger's writer thread cannot be started."))
      }
    }
    (setup.clock as? any MovedLedgerClock)?.whenMoved { [weak engine] in
      engine?.lookForDeadlines() ?? false
    }
    return engine
  }

  // MARK: Writing

  /// Carries out a command durably, and returns its answer.
  ///
  /// Cancelling the task withdraws the command, unless the writer has already taken it.
  package func submit<Answer>(_ command: some Command<Answer>) async throws -> Answer {
    try refuseIfForked()
    try Task.checkCancellation()
    let box = JobBox()
    let order = ResumptionOrder()
    defer { order.show() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let job = Job(command) { result in
          order.show()
          continuation.resume(with: result)
        }
        box.set(job)
        inbox.add(job)
        if Task.isCancelled { withdraw(job) }
      }
    } onCancel: {
      if let job = box.job { withdraw(job) }
    }
  }

  /// Carries out a command durably even if the task is cancelled, and returns its answer.
  package func submitUncancelled<Answer>(_ command: some Command<Answer>) async throws -> Answer {
    try refuseIfForked()
    let order = ResumptionOrder()
    defer { order.show() }
    return try await withCheckedThrowingContinuation { continuation in
      inbox.add(
        Job(command) { result in
          order.show()
          continuation.resume(with: result)
        })
    }
  }

  private func withdraw(_ job: Job) {
    if inbox.withdraw(job) { job.fail(CancellationError()) }
  }

  // MARK: Reading

  /// Brings the replica up to the head, unless told otherwise, and reads it.
  ///
  /// Waits while the session is frozen, or throws `frozen` if the session was opened not to wait.
  ///
  /// - Parameters:
  ///   - isNewest: `false` to read what the session knows, for a command that decides by the newest state anyway.
  ///   - fromCopy: Whether `body` receives a copy of the state, so that the writer need not wait for it; for
  ///     walks through lists. The next change then copies the changes since the snapshot.
  ///   - needs: The entities that `body` is known to look up, if it does not receive a copy.
  package func read<R: Sendable>(
    isNewest: Bool = true, fromCopy: Bool = false, needs: SnapshotNeeds = SnapshotNeeds(),
    _ body: @Sendable (LedgerState) throws -> R
  ) async throws -> R {
    try await readStore(checksHead: isNewest) { store in
      if fromCopy { return try replica.lookAtCopy(with: store, body) }
      return try replica.look(with: store, needs: needs) { state in try body(state) }
    }
  }

  /// The attachment of an event.
  package func attachment(of position: Position, byteCount: Int) async throws -> [UInt8] {
    try await readStore { store in
      try store.attachment(of: position, byteCount: byteCount)
    }
  }

  /// Runs `body` on the open store, where it may block a thread: the caller's own if the store is local.
  ///
  /// - Parameters:
  ///   - checksHead: Whether to bring the replica up to the head first, which is then at least as new as this
  ///     call.
  ///   - body: The read; it runs once more if the session froze in between.
  package func readStore<R: Sendable>(
    checksHead: Bool = false, _ body: @Sendable (any EventStore) throws -> R
  ) async throws -> R {
    try await retrying { store in
      guard store.isRemote else {
        if checksHead { try catchUp(store) }
        return try body(store)
      }
      if checksHead {
        try await headChecks.check(store) { (store) throws(LedgerError) in
          _ = try self.catchUp(store)
        }
      }
      return try await run(on: readExecutor) { try body(store) }
    }
  }

  /// Runs `body`, which blocks while it uses the store, on dedicated threads of the session if the store is
  /// remote.
  func runBlocking<R: Sendable>(
    _ body: @Sendable () async throws -> R
  ) async throws -> R {
    guard try await openStore().isRemote else { return try await body() }
    return try await run(on: readExecutor, body)
  }

  /// Runs `body` on the threads of an executor.
  func run<R: Sendable>(
    on executor: ThreadTaskExecutor, _ body: @Sendable () async throws -> R
  ) async throws -> R {
    try await withTaskExecutorPreference(executor) { try await Self.leavingCaller(body) }
  }

  /// Leaves the thread of the caller, even if the caller is an actor.
  @concurrent private static func leavingCaller<R: Sendable>(
    _ body: @Sendable () async throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    return try await body()
  }

  /// Runs `body` on the open store, on the thread of the caller; and once more if the session froze in
  /// between, even while `body` waited for another writer.
  package func withStore<R: Sendable>(
    _ body: (any EventStore) throws -> R
  ) async throws -> R {
    try await retrying(body)
  }

  private func retrying<R: Sendable>(
    _ body: (any EventStore) async throws -> R
  ) async throws -> R {
    while true {
      let store = try await openStore()
      do {
        return try await body(store)
      } catch let error as LedgerError
        where error.code == .closed || error.lookAgain == .interrupted
      {
        // The store was closed meanwhile, by a freeze or permanently, which openStore reports.
        if phase.store === store { throw error }
      } catch {
        noteEnd(error)
        throw error
      }
    }
  }

  /// The store, if the session is open.
  package var currentStore: any EventStore {
    get throws(LedgerError) {
      try refuseIfForked()
      guard let store = phase.store else { throw .storeClosed }
      return store
    }
  }

  /// The store, once the session is open.
  package func openStore() async throws -> any EventStore {
    try refuseIfForked()
    while true {
      switch phase.current {
      case .open(let store): return store
      case .closed(let error): throw error
      case .frozen:
        try refuseIfFrozen()
        try await phase.waitWhileFrozen()
      }
    }
  }

  /// A child of `fork` has neither the threads nor the locks of its parent.
  ///
  /// This check precedes every lock: a lock that another thread held at the time of the fork is never
  /// released.
  private func refuseIfForked() throws(LedgerError) {
    guard !isForked else {
      throw LedgerError(
        .forkedProcess,
        "This process was forked from process \(setup.opened.processID), which opened the ledger. Run a program (exec) that opens the ledger anew; tasks do not run in a forked child."
      )
    }
  }

  var isForked: Bool { ThisProcess.id != setup.opened.processID }

  private func refuseIfFrozen() throws(LedgerError) {
    guard !setup.waitsWhileFrozen, case .frozen = phase.current else { return }
    throw .frozen
  }

  /// The time for deadlines and retention.
  func now(_ store: any EventStore) -> Timestamp { setup.clock?.now() ?? store.now() }

  /// The same, also while the session has no store: then it is the time of this host.
  var currentTime: Timestamp {
    phase.store.map { now($0) } ?? (setup.clock ?? SystemLedgerClock()).now()
  }

  /// Applies the events that other sessions wrote, in slices, and wakes the tasks that wait for them.
  ///
  /// - Returns: Whether there were any events.
  @discardableResult
  func catchUp(
    _ store: any EventStore, looksAtAll: Bool = false
  ) throws(LedgerError) -> Bool {
    defer { replica.deliver(from: store, looksAtAll: looksAtAll) }
    return try replica.catchUp(from: store)
  }

  // MARK: Waiting

  /// Waits until a promise is settled. Cancelling the task ends the wait and nothing else.
  package func settled(_ id: PromiseID) async throws -> PromiseEntity {
    try Task.checkCancellation()
    try beginUse(of: id)
    defer { endUse(of: id) }
    return try await settlement(of: id)
  }

  /// Notes that this process waits for the promise or consumes it, until ``endUse(of:)``.
  package func beginUse(of id: PromiseID) throws(LedgerError) {
    try refuseIfForked()
    replica.beginUse(of: id)
  }

  package func endUse(of id: PromiseID) {
    replica.endUse(of: id)
  }

  /// The promise once it is settled, according to the log.
  func settlement(of id: PromiseID) async throws -> PromiseEntity {
    let settlement = try await readStore(checksHead: true) { store in
      try replica.settlement(of: id, with: store)
    }
    return try await settlement.value
  }

  /// Waits until there is an event after `position`.
  package func advance(past position: Position) async throws {
    try Task.checkCancellation()
    try await catchUpIfOpen()
    try await replica.advance(past: position).value
  }

  /// Waits until there is an event after `position`, without looking for one, even while the session is
  /// frozen.
  package func changed(after position: Position) async throws {
    try refuseIfForked()
    try await replica.advance(past: position).value
  }

  /// Waits until there is an event after `position`, or until one more promise is no longer awaited in this
  /// process.
  package func advance(past position: Position, orUseEndedAfter count: Int) async throws {
    try Task.checkCancellation()
    try await catchUpIfOpen()
    try await replica.advance(past: position, orUseEndedAfter: count).value
  }

  /// A promise that is rejected at the end of the session.
  ///
  /// - Throws: The error with which it has ended.
  func sessionEnd() throws -> Promise<Void> {
    try refuseIfForked()
    return try replica.advance(past: .end)
  }

  private func catchUpIfOpen() async throws {
    try await readStore(checksHead: true) { _ in }
  }

  // MARK: The session's life

  /// Releases every lock, memory map and file descriptor.
  ///
  /// - Returns: Whether the freeze was recorded as an event; if another process kept holding the gate, only
  ///   the registry of sessions knows about the freeze.
  package func freeze() async throws -> Bool {
    try refuseIfForked()
    return try await withCheckedThrowingContinuation { continuation in
      let isAdded = inbox.add(.freeze { continuation.resume(with: $0) })
      if !isAdded { continuation.resume(throwing: LedgerError.sessionClosed) }
    }
  }

  /// Reopens the store and catches up.
  package func unfreeze() async throws {
    try refuseIfForked()
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      let isAdded = inbox.add(.unfreeze { continuation.resume(with: $0) })
      if !isAdded { continuation.resume(throwing: LedgerError.sessionClosed) }
    }
  }

  /// Ends the session. A forked child does nothing, because the session belongs to the parent.
  package func close() async {
    guard !isForked else { return }
    await withCheckedContinuation { continuation in
      if !inbox.add(.close { continuation.resume() }) { continuation.resume() }
    }
  }

  /// Ends the session without waiting for it.
  package func closeDetached() {
    guard !isForked else { return }
    _ = inbox.add(.close {})
  }
}

/// Passes a job from its creation to a cancellation handler.
private final class JobBox: Sendable {
  private let contents = Mutex<Job?>(nil)
  var job: Job? { contents.withLock { $0 } }
  func set(_ job: Job) { contents.withLock { $0 = job } }
}

extension LedgerError {
  static var frozen: LedgerError {
    LedgerError(
      .frozen,
      "The session of the ledger is frozen. Unfreeze it first, or let calls wait until then (waitsWhileFrozen)."
    )
  }

  static var sessionClosed: LedgerError {
    LedgerError(.closed, "The session of the ledger was closed. Open the ledger again.")
  }
}
