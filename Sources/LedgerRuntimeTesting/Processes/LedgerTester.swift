import LedgerModel
public import LedgerRuntime
import Synchronization

/// A ledger for tests, with any number of processes and a clock that the test moves.
///
/// Each process has a session of its own, and can be frozen, suspended, killed and started again. Their ids come
/// from sequences, so that two runs of a test make the same ids. Work runs only when the test says so.
///
/// ```swift
/// try await withLedger { tester in
///   let app = try await tester.app()
///   let worker = try await tester.worker(handlers)
///   let promise = try await app.ledger.start(ApproveExpense(expense: expense))
///   let outcome = try await tester.run(worker, until: promise)
/// }
/// ```
///
/// ``withLedger(_:clock:maximumJumpCount:patience:_:)`` makes a tester for a block of code. At its end, it checks that
/// no expectation is missing and that all planned faults happened, and ends the processes. So does the trait `ledger`
/// of `PromiseLedgerSwiftTesting`.
public final class LedgerTester: Sendable {
  private struct Contents {
    var place: LedgerStorage.Place?
    var sessionCount: UInt16 = 0
    var processes: [LedgerProcess] = []
    /// The reaction whose events no expectation has named yet.
    var open: OpenReaction?
    var reactionCount = 0
  }

  /// The clock of all processes.
  public let clock: ManualLedgerClock

  /// Ends all processes at once, when a scenario is run with a crash.
  let crash = CrashSwitch()
  /// Lets operations of the store go wrong.
  let faults = FaultInjection()
  /// Whether expectations are checked.
  let checksExpectations: Bool

  private let storage: LedgerStorage
  private let limits: RunLimits
  private let contents = Mutex(Contents())

  /// Makes a tester with a new ledger, without the checks that ``withLedger(_:clock:maximumJumpCount:patience:_:)`` makes
  /// at its end.
  package convenience init(
    _ storage: LedgerStorage = .memory, clock: ManualLedgerClock = ManualLedgerClock(),
    maximumJumpCount: Int = 1_000, patience: Duration = .seconds(60)
  ) {
    let limits = RunLimits(maximumJumpCount: maximumJumpCount, patience: patience)
    self.init(storage, clock: clock, limits: limits, checksExpectations: true)
  }

  init(
    _ storage: LedgerStorage, clock: ManualLedgerClock, limits: RunLimits,
    checksExpectations: Bool
  ) {
    self.storage = storage
    self.clock = clock
    self.limits = limits
    self.checksExpectations = checksExpectations
  }

  /// A thread that waits at a gate would keep its process for ever.
  deinit {
    faults.clear()
    for process in processes { process.gate.resume() }
  }

  // MARK: Processes

  /// The processes, in the order in which they were opened.
  public var processes: [LedgerProcess] { contents.withLock { $0.processes } }

  /// Starts an app: a process that may consume outcomes.
  ///
  /// - Parameter handlers: The kinds of work and handlers that it knows.
  public func app(_ handlers: HandlerRegistry = HandlerRegistry()) async throws -> LedgerProcess {
    try await open(handlers, as: .app)
  }

  /// Starts an extension of the app: a process that may not consume outcomes.
  ///
  /// - Parameter handlers: The kinds of work and handlers that it knows.
  public func appExtension(
    _ handlers: HandlerRegistry = HandlerRegistry()
  ) async throws -> LedgerProcess {
    try await open(handlers, as: .appExtension)
  }

  /// Starts a worker: a process that may not consume outcomes, and that is there to run work.
  ///
  /// It runs work only while ``run(_:until:)``, ``runUntilIdle(_:)`` or ``runDue(_:)`` does.
  ///
  /// - Parameter handlers: The kinds of work and handlers that it knows.
  public func worker(_ handlers: HandlerRegistry) async throws -> LedgerProcess {
    try await open(handlers, as: .resolver)
  }

  /// Starts a process that knows some kinds of work and handlers.
  ///
  /// - Throws: As ``open(_:as:)-(LedgerConfiguration,_)``.
  public func open(
    _ handlers: HandlerRegistry, as role: SessionRole = .app
  ) async throws -> LedgerProcess {
    var configuration = LedgerConfiguration()
    configuration.handlers = handlers
    return try await open(configuration, as: role)
  }

  /// Starts a process with a configuration, whose clock, generator of ids and runner are replaced.
  ///
  /// - Returns: The process, which ends with the tester.
  /// - Throws: `LedgerError` with `invalidArgument` if the configuration has an invalid value; the errors of
  ///   the storage.
  public func open(
    _ configuration: LedgerConfiguration, as role: SessionRole = .app
  ) async throws -> LedgerProcess {
    let opened = try await openSession(configuration, as: role)
    return contents.withLock { contents in
      let process = LedgerProcess(
        number: contents.processes.count + 1, as: role, configuration, opened, in: self,
        patience: limits.patience)
      contents.processes.append(process)
      return process
    }
  }

  /// Leaves out ids that sessions of another tester may have.
  func skipIDs(ofSessions count: Int) {
    contents.withLock { $0.sessionCount &+= UInt16(truncatingIfNeeded: count) }
  }

  /// Opens a session for a process.
  func openSession(
    _ configuration: LedgerConfiguration, as role: SessionRole, by user: StoreUser = StoreUser()
  ) async throws -> LedgerProcess.Opened {
    let place = try place()
    let number = contents.withLock { contents in
      contents.sessionCount &+= 1
      return contents.sessionCount
    }
    let gate = ProcessGate(of: user)
    let ledger = try await Ledger.open(
      { [crash, faults] () throws(LedgerError) in
        ProcessStore(try place.openStore(), gate, crash, faults)
      }, ProcessSessions(place.sessions, gate), as: role,
      configuration: configuration.paced(by: clock, seed: number))
    return LedgerProcess.Opened(ledger: ledger, gate: gate)
  }

  /// The place of the ledger, which is made once.
  private func place() throws(LedgerError) -> LedgerStorage.Place {
    try contents.withLock { (contents) throws(LedgerError) in
      if let place = contents.place { return place }
      let place = try storage.makePlace(clock.now())
      contents.place = place
      return place
    }
  }

  /// Runs `body` on the store, without any process.
  func withStore<R>(
    _ body: (any EventStore) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    let store = try place().openStore()
    defer { store.close() }
    return try body(store)
  }

  /// Calls `body` with a process that runs. If that freezes, closes or is stopped meanwhile, it calls it with another.
  ///
  /// - Returns: What `body` returns; `nil` if no process runs.
  func withRunningProcess<R: Sendable>(
    _ body: @escaping @Sendable (LedgerProcess) async throws -> R
  ) async throws -> R? {
    while let process = processes.first(where: { $0.condition == .running }) {
      if let result = try await process.whileRunning({ try await body(process) }) { return result }
      try Task.checkCancellation()
    }
    return nil
  }

  /// Lets a process that runs give back what killed processes ran; without one, the next that opens or
  /// goes on does.
  ///
  /// - Throws: As ``giveBackRuns(of:)``.
  func noticeDeaths() async throws {
    try await giveBackRuns(of: processes.flatMap(\.killedSessions))
  }

  /// Lets a process that runs give back what the processes of some sessions ran; without one, the next that opens or
  /// goes on does.
  ///
  /// - Throws: ``WaitedInVain`` if that takes longer than the patience of the tester; the last error if all processes
  ///   fail.
  func giveBackRuns(of sessions: [SessionID]) async throws {
    let what = "the recorded end of a process that is gone"
    try await LedgerRuntimeTesting.wait(for: what, limits.patience) { [self] in
      for session in sessions { try await giveBackRuns(of: session) }
    }
  }

  /// How a process that was asked to give back runs went on.
  private enum GivingBack: Sendable {
    case done, stopped, late
    case failed(any Error)
  }

  /// The time after which others would record the end of a session by their own polls.
  private static let longestTurn = Duration.seconds(1)

  /// Asks one process, so that it does not depend on chance which one writes. If it fails or takes long, for example
  /// because a fault plan holds it up, the next one is asked, too.
  private func giveBackRuns(of session: SessionID) async throws {
    try await withThrowingTaskGroup(of: GivingBack.self) { group in
      defer { group.cancelAll() }
      var asked: Set<Int> = []
      var busyCount = 0
      var failure: (any Error)?
      while true {
        try Task.checkCancellation()
        let running = processes.filter { $0.condition == .running }
        if let next = running.first(where: { !asked.contains($0.number) }) {
          asked.insert(next.number)
          busyCount += 1
          group.addTask {
            do {
              return try await next.giveBackRuns(of: session) ? .done : .stopped
            } catch {
              return .failed(error)
            }
          }
          let turn = min(Self.longestTurn, limits.patience / running.count)
          group.addTask {
            try? await Task.sleep(for: turn)
            return .late
          }
        }
        guard busyCount > 0, let answer = try await group.next() else { break }
        switch answer {
        case .done: return
        case .late: continue
        case .stopped: busyCount -= 1
        case .failed(let error):
          busyCount -= 1
          failure = error
        }
      }
      if let failure { throw failure }
    }
  }

  /// Ends all processes. A tester that is released without that ends them too, some time later.
  public func close() async {
    faults.clear()
    for process in processes { await process.close() }
  }

  // MARK: Time

  /// Moves the clock, and waits until every deadline that passed has its effect.
  ///
  /// Without a process that runs, deadlines have their effects when the next one opens, unfreezes or resumes.
  /// Work that becomes due does not run.
  ///
  /// - Throws: `LedgerError` if the ledger cannot be read; ``WaitedInVain`` if a deadline has no effect in time,
  ///   for example because a fault plan holds up the process.
  public func advance(by duration: Duration) async throws {
    clock.advance(by: duration)
    _ = try await withRunningProcess { try await $0.settleDeadlines() }
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
  ///   does not end. `LedgerError` with `sessionEnded` if the process is killed, `notFound` if the ledger has no such
  ///   promise, `promiseAbandoned` if the promise is abandoned, and `invalidArgument` if the process is not of
  ///   this tester, is suspended or frozen, or is running already.
  public func run<Value: Sendable>(
    _ process: LedgerProcess, until promise: DurablePromise<Value>
  ) async throws -> PromiseOutcome<Value> {
    try await withSession(of: process) { try await $0.run(until: promise.id) }
    return try await process.promise(promise).outcome
  }

  /// Runs the work that a process knows until nothing is due and nothing waits for a time.
  ///
  /// - Throws: As ``run(_:until:)``.
  public func runUntilIdle(_ process: LedgerProcess) async throws {
    try await withSession(of: process) { try await $0.run(until: nil) }
  }

  /// Runs the work of a process that is due now, and what becomes due without moving the clock.
  ///
  /// - Throws: ``WorkStandstill`` if code does not end; `LedgerError` as ``run(_:until:)``.
  public func runDue(_ process: LedgerProcess) async throws {
    try await withSession(of: process) { try await $0.runDue() }
  }

  private func withSession(
    of process: LedgerProcess, _ body: (PacedSession) async throws -> Void
  ) async throws {
    guard processes.contains(where: { $0 === process }) else {
      throw LedgerError(
        .invalidArgument,
        "Process \(process.number) was not opened by this tester. Open it with open(_:as:).")
    }
    try await process.withSession(limits, clock, body)
  }
}

// MARK: - Expectations

/// A reaction whose events no expectation has named.
struct OpenReaction: Sendable {
  let number: Int
  let events: [String]
  /// The file and the line of its `when`.
  let place: String
}

extension LedgerTester {
  /// Notes a reaction whose events an expectation must name.
  ///
  /// - Returns: The number of the reaction.
  func openReaction(
    _ events: [String], at place: String
  ) -> Int {
    contents.withLock { contents in
      contents.reactionCount += 1
      contents.open = OpenReaction(
        number: contents.reactionCount, events: events, place: place)
      return contents.reactionCount
    }
  }

  /// Forgets the reaction whose events no expectation has named.
  func takeOpenReaction() -> OpenReaction? { contents.withLock { $0.open.take() } }

  /// Notes that an expectation named the events of a reaction.
  func closeReaction(_ number: Int) {
    contents.withLock { contents in
      if contents.open?.number == number { contents.open = nil }
    }
  }
}

extension LedgerConfiguration {
  /// The configuration of a session whose time and ids a test determines.
  func paced(by clock: ManualLedgerClock, seed: UInt16) -> LedgerConfiguration {
    var configuration = self
    configuration.clock = clock
    configuration.idGenerator = SequentialIDGenerator(seed: seed)
    configuration.runner = .manual
    return configuration
  }
}
