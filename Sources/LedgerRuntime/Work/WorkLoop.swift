import Logging
import Synchronization

/// The loop of a runner: looks for due work, starts it, and waits for changes.
final class WorkLoop: Sendable {
  /// An attempt that this runner runs.
  struct Running {
    /// The present name of the kind.
    let kind: String
    let lane: String?
    let wasSuspect: Bool
    let flow: WorkFlow
    let interruption: Interruption
    var task: Task<Void, Never>?

    /// Whether the code may end its process.
    var isSuspect: Bool { wasSuspect && !flow.hasAdvanced }
  }

  struct Contents {
    var agenda: WorkAgenda
    var running: [PromiseID: Running] = [:]
    /// Work that was given back because its code waits, in memory.
    var waiting: [PromiseID: Running] = [:]
    /// The number of running attempts by the present name of their kind.
    var counts: [String: Int] = [:]
    /// Work that is being created and may be started by that, and the present name of its kind.
    var reserved: [PromiseID: String] = [:]
    /// Whether the runner is starting work that takes places of which the counts do not know yet.
    var isClaiming = false
    /// The time from which no work is started; `nil` while the runner does not run.
    var lastStart: Timestamp?
    /// Whether no more code may begin.
    var isStopping = false
    /// Promises that changed and were not looked at yet.
    var changed: Set<PromiseID> = []
    /// Work that was cancelled or ended while it was being created.
    var changedEarly: Set<PromiseID> = []
    /// Whether other promises may have changed, so that all running work must be looked at.
    var hasMissedChanges = false
    /// Work that was found due again before its attempt ended here.
    var skipped: Set<PromiseID> = []
    /// Whether the session may have started attempts of which this runner does not know, such as those that an
    /// earlier runner lost.
    var hasLostClaims = true
  }

  /// The maximum amount of due work that is remembered; in an app extension, which has little memory.
  static let agendaLimit = (app: 1_024, appExtension: 64)

  /// The maximum amount of work whose code waits in memory.
  static let waitingLimit = (app: 1_000, appExtension: 16)

  /// The maximum amount of work of one lane that is remembered and was never started.
  static let laneLimit = 16

  /// The maximum number of lanes that one read looks at.
  static let laneSliceCount = 256

  /// The time that code has to end after its task was cancelled; then it is left behind.
  static let patience = Duration.seconds(1)

  let engine: LedgerEngine
  let configuration: LedgerConfiguration
  /// Weak, because a loop that runs by itself must not keep the session from ending.
  weak let ledger: Ledger?
  /// All names of the kinds that are run.
  let kinds: Set<String>
  let limits: RunnerLimits
  let waitingLimit: Int
  let wakeUp = WakeUp()
  let contents: Mutex<Contents>

  /// - Parameter names: The present names of the kinds that are run; `nil` for all kinds of the session.
  /// - Throws: `invalidArgument` if a limit is less than 1, a kind is unknown, also in the limits, or the values of a
  ///   kind need a codec that the session does not have.
  init(
    _ ledger: Ledger, kinds names: Set<String>?, _ limits: RunnerLimits
  ) throws(LedgerError) {
    for limit in [limits.total] + limits.kinds.values where limit < 1 {
      throw LedgerError(
        .invalidArgument, "A limit of a runner is \(limit); it must be at least 1.")
    }
    engine = ledger.engine
    configuration = ledger.configuration
    self.ledger = ledger
    kinds = try ledger.configuration.handlers.allNames(ofWork: names)
    for kind in kinds { _ = try configuration.handlers[work: kind]?.formerTypeTags(ledger) }
    self.limits = try limits.withPresentNames(in: ledger.configuration.handlers)
    let isExtension = ledger.role == .appExtension
    let limit = isExtension ? Self.agendaLimit.appExtension : Self.agendaLimit.app
    waitingLimit = isExtension ? Self.waitingLimit.appExtension : Self.waitingLimit.app
    contents = Mutex(Contents(agenda: WorkAgenda(of: kinds, limit: limit)))
  }

  /// The time by which decisions judge what is due.
  var now: Timestamp { engine.currentTime }

  // MARK: Beginning and ending

  /// - Throws: `invalidArgument` if the session has a running runner.
  ///
  /// - Parameter lastStart: The time up to which work that the session creates is started by that.
  func begin(
    startingUntil lastStart: Timestamp? = Timestamp(nanosecondsSinceEpoch: .max)
  ) throws(LedgerError) {
    let wakeUp = wakeUp
    guard engine.replica.beginNews({ wakeUp() }) else {
      throw LedgerError(
        .invalidArgument,
        "A runner of this session is running, perhaps the one of its configuration. Raise the limits, or open another session for a second runner."
      )
    }
    (engine.setup.clock as? any MovedLedgerClock)?.whenMoved { [weak self] in
      self?.wakeUp()
      return self != nil
    }
    contents.withLock { ($0.lastStart, $0.isStopping) = (lastStart, false) }
    ledger?.activeRunner.loop = self
  }

  func end() {
    ledger?.activeRunner.loop = nil
    engine.alarm.cancel()
    engine.replica.endNews()
  }

  // MARK: Running

  /// Runs work until the task is cancelled or the session ends, then stops.
  func runUntilStopped() async throws {
    try begin()
    defer { end() }
    do {
      try await run()
    } catch is CancellationError {
      await stop(after: limits.gracePeriod)
    } catch let error as LedgerError where error.code == .closed {
      await stop(after: .zero)
    } catch {
      await stop(after: limits.gracePeriod)
      throw error
    }
  }

  func run() async throws {
    while true {
      try Task.checkCancellation()
      do {
        try await look()
        try await startDue { true }
        if contents.withLock({ $0.changed.isEmpty }) { await wakeUp.wait(atMost: timeUntilNext()) }
      } catch let error as LedgerError {
        try await wait(after: error)
      }
    }
  }

  /// Runs due work until there is no more, and all code that runs only waits. Code that waits stays in memory.
  ///
  /// - Returns: The time at which code goes on whose wait is too short to give its work back.
  func runDue() async throws -> Timestamp? {
    while true {
      try Task.checkCancellation()
      try await look()
      try await startDue { true }
      let (isDone, flows) = contents.withLock { contents in
        (contents.isDone, contents.running.values.map(\.flow))
      }
      let (rests, now) = (flows.compactMap(\.restsUntil), now)
      if isDone, rests.count == flows.count, rests.allSatisfy({ $0 > now }) { return rests.min() }
      let mustSearch = contents.withLock { $0.agenda.mayHaveMore }
      await wakeUp.wait(atMost: mustSearch ? configuration.pollInterval : nil)
    }
  }

  /// Returns the time to sleep; `nil` if a change or the alarm ends the wait.
  func timeUntilNext() -> Duration? {
    let time = timeUntilNextIsDue()
    // No change announces work that is due already.
    guard contents.withLock({ $0.agenda.mayHaveMore }) else { return time }
    return min(time ?? configuration.pollInterval, configuration.pollInterval)
  }

  private func timeUntilNextIsDue() -> Duration? {
    guard let next = contents.withLock({ $0.agenda.nextTime }) else { return nil }
    // A clock that a test moves tells when it does.
    guard !(engine.setup.clock is any MovedLedgerClock) else { return nil }
    let rest = next - now
    guard rest <= engine.alarmLead else {
      engine.alarm.set(at: next) { [wakeUp] in wakeUp() }
      return nil
    }
    // The clock may be set meanwhile.
    return max(.milliseconds(1), min(rest, configuration.pollInterval))
  }

  /// Waits until another look may be worthwhile.
  ///
  /// - Throws: An error that ends the session.
  func wait(after error: LedgerError) async throws {
    contents.withLock { contents in
      contents.agenda.noteMissed()
      if error.code == .commitOutcomeUnknown { contents.hasLostClaims = true }
    }
    if error.isOfEndedSession { throw error }
    switch error.code {
    case .frozen: try await engine.phase.waitWhileFrozen()
    default:
      log("due work cannot be started yet", ["error": "\(error)"])
      try await Task.sleep(for: configuration.pollInterval)
    }
  }

  func log(_ what: Logger.Message, _ metadata: Logger.Metadata) {
    configuration.logger.warning(what, metadata: metadata)
  }
}

extension RunnerLimits {
  /// The limits by the present names of the kinds.
  fileprivate func withPresentNames(
    in handlers: HandlerRegistry
  ) throws(LedgerError) -> RunnerLimits {
    var limits = self
    limits.kinds = [:]
    for (name, limit) in kinds {
      guard let registration = handlers[work: name] else {
        throw LedgerError(
          .invalidArgument,
          "The runner has a limit for work of the kind \(name), which this session does not know. Correct the name, or register the kind in the configuration's handlers before the ledger is opened."
        )
      }
      let kind = registration.type.kind
      limits.kinds[kind] = min(limit, limits.kinds[kind] ?? limit)
    }
    return limits
  }
}

extension HandlerRegistry {
  /// All names, present and former, of kinds of work.
  ///
  /// - Parameter kinds: The present names; `nil` for all kinds.
  fileprivate func allNames(ofWork kinds: Set<String>?) throws(LedgerError) -> Set<String> {
    var names: Set<String> = []
    for kind in kinds ?? workKinds {
      guard let registration = self[work: kind] else {
        throw LedgerError(
          .invalidArgument,
          "The runner should run work of the kind \(kind), which this session does not know. Register it in the configuration's handlers before the ledger is opened."
        )
      }
      names.formUnion(registration.names)
    }
    return names
  }
}
