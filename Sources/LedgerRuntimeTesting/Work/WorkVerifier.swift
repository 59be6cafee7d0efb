import LedgerModel
public import LedgerRuntime

/// Verifies that work comes to the same outcome wherever its process is killed.
///
/// It runs work from its start to its end, in memory. Then it runs the work again from each prefix of what was
/// written: a new process opens a copy of the ledger that was cut off after a commit, as if the first process
/// had been killed there. Every run must have the same outcome.
///
/// ```swift
/// var handlers = HandlerRegistry()
/// try handlers.register(FulfilOrder.self) { shop }
/// let verification = try await WorkVerifier(handlers).run { ledger in
///   try await ledger.start(FulfilOrder(order: order))
/// }
/// ```
///
/// It finds code that is not repeatable: code that takes another way, or computes another value, outside of its
/// steps when it is run again. No time passes: the clock jumps to what is due next.
public struct WorkVerifier: Sendable {
  /// The configuration of the processes. Its clock, its generator of ids, its runner and its compaction are
  /// replaced.
  public var configuration: LedgerConfiguration

  /// Tells how and when a pending promise that no work settles is settled from outside; `nil` if it is not.
  ///
  /// It is asked again in each run, and must answer the same for the same promise. By default, nothing settles
  /// such promises.
  public var signals: @Sendable (PromiseRecord) -> WorkSignal? = { _ in nil }

  /// The maximum number of prefixes from which the work is run again. They are spread evenly.
  public var maximumPrefixCount = 200

  /// The maximum number of times that the clock is moved in one run.
  public var maximumJumpCount = 1_000

  /// The maximum time for which one run waits for code, by the clock of the machine.
  public var patience = Duration.seconds(60)

  /// Makes a verifier.
  ///
  /// - Parameter handlers: The kinds of work and handlers, with the contexts of their code. All runs share
  ///   them, as all processes of a system share the servers that they talk to.
  public init(_ handlers: HandlerRegistry) {
    configuration = LedgerConfiguration()
    configuration.handlers = handlers
  }

  /// Runs work, then runs it again after a kill at each commit.
  ///
  /// - Parameter start: Starts the work, and returns its promise. It is called once.
  /// - Returns: A summary of the verification.
  /// - Throws: ``WorkDifference`` if a run comes to another outcome than the first one; ``WorkStandstill`` if
  ///   the first run comes to none; any error of `start`; `LedgerError` with `notFound` if `start` returns
  ///   a promise of another ledger, and `typeMismatch` if the value of a signal does not fit its promise.
  /// - Complexity: O(commits²), at most `maximumPrefixCount` runs.
  public func run<Value: Sendable>(
    _ start: (Ledger) async throws -> DurablePromise<Value>
  ) async throws -> WorkVerification {
    let store = InMemoryEventStore()
    let first = Run(of: store, at: ManualLedgerClock(), self, seed: 1)
    let (promise, begin, outcome) = try await first.inProcess { session in
      let promise = try await start(session.ledger).id
      let begin = try await session.ledger.catchUp()
      return (promise, begin, try await first.outcome(of: promise, session))
    }
    let events = try store.events()
    var verification = WorkVerification(
      outcome: outcome, stepCount: events.count { $0.kind == .workStepFinished },
      attemptCount: events.count { $0.kind == .workStarted })
    let end = events.last { $0.subject == promise.entityID }?.position ?? begin
    let ends = try store.commitEnds().filter { $0 >= begin && $0 < end }
    for position in ends.spread(maximumPrefixCount) {
      let copy = try store.copy(cutAfter: position)
      verification.attemptCount += try await verify(
        promise, in: copy, after: events.prefix { $0.position <= position }, expecting: outcome)
      verification.prefixCount += 1
    }
    return verification
  }

  /// Runs work from the end of a prefix.
  ///
  /// - Returns: The number of attempts that were started.
  private func verify(
    _ promise: PromiseID, in store: InMemoryEventStore, after events: ArraySlice<LedgerEvent>,
    expecting expected: PromiseOutcome<StoredValue>?
  ) async throws -> Int {
    guard let last = events.last else { return 0 }
    let run = Run(of: store, at: ManualLedgerClock(start: last.time), self, seed: 2)
    let (steps, actual, standstill) = try await run.inProcess { session in
      let steps = try await session.ledger.record(of: promise)?.work?.steps ?? []
      do {
        return (steps, try await run.outcome(of: promise, session), WorkStandstill?.none)
      } catch let error as WorkStandstill {
        return (steps, nil, error)
      }
    }
    if standstill == nil, actual == expected {
      return try store.events(after: last.position).count { $0.kind == .workStarted }
    }
    throw WorkDifference(
      position: last.position, events: events.suffix(Self.describedEventCount).map(\.words),
      steps: steps, expected: expected, actual: actual, standstill: standstill)
  }

  /// The maximum number of events that a difference describes.
  private static let describedEventCount = 20
}

/// One run: a process on a ledger in memory, with a clock of its own.
private struct Run: Sendable {
  private let store: InMemoryEventStore
  private let clock: ManualLedgerClock
  private let configuration: LedgerConfiguration
  private let limits: RunLimits
  private let signals: PacedSession.Signals

  init(
    of store: InMemoryEventStore, at clock: ManualLedgerClock, _ verifier: WorkVerifier,
    seed: UInt16
  ) {
    self.store = store
    self.clock = clock
    signals = verifier.signals
    limits = RunLimits(
      maximumJumpCount: verifier.maximumJumpCount, patience: verifier.patience)
    var configuration = verifier.configuration.paced(by: clock, seed: seed)
    configuration.automaticCompaction = nil
    self.configuration = configuration
  }

  /// Calls `body` with a process, and kills the process at the end.
  func inProcess<R: Sendable>(_ body: (PacedSession) async throws -> R) async throws -> R {
    let ledger = try await Ledger.open(
      { [store] () throws(LedgerError) in store }, InMemorySessions(), as: .app,
      configuration: configuration)
    let runner = try PacedRunner(ledger)
    let session = PacedSession(
      ledger: ledger, runner: runner, clock: clock, limits: limits)
    do {
      let result = try await body(session)
      await end(session)
      return result
    } catch {
      await end(session)
      throw error
    }
  }

  private func end(_ session: PacedSession) async {
    await session.ledger.engine.die()
    session.runner.abandon()
  }

  /// The outcome of a promise, once it is settled; `nil` if it is abandoned.
  func outcome(
    of promise: PromiseID, _ session: PacedSession
  ) async throws -> PromiseOutcome<StoredValue>? {
    try await session.run(until: promise, signals: signals)
    return try await session.ledger.storedOutcome(of: promise)
  }
}
