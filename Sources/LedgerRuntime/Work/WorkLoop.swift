import Logging
import Synchronization

/// The loop of a runner: looks for due work, starts it, and waits for changes.
final class WorkLoop: Sendable {
  /// An attempt that this runner runs.
  private struct Running {
    let attempt: UInt32
    let kind: String
    let lane: String?
    let isSuspect: Bool
    let interruption: Interruption
    var task: Task<Void, Never>?
  }

  private struct Contents {
    var agenda: WorkAgenda
    var running: [PromiseID: Running] = [:]
    /// The number of running attempts by the present name of their kind.
    var counts: [String: Int] = [:]
    /// Work that was found due again before its attempt ended here.
    var skipped: Set<PromiseID> = []
    /// Such work whose attempt has ended, to be looked at again.
    var unskipped: Set<PromiseID> = []
  }

  /// The maximum amount of due work that is remembered; in an app extension, which has little memory.
  private static let agendaLimit = (app: 1_024, appExtension: 64)

  private let engine: LedgerEngine
  private let configuration: LedgerConfiguration
  /// Weak, because a loop that runs by itself must not keep the session from ending.
  private weak let ledger: Ledger?
  /// All names of the kinds that are run.
  private let kinds: Set<String>
  private let limits: RunnerLimits
  private let wakeUp = WakeUp()
  private let contents: Mutex<Contents>

  /// - Parameter names: The present names of the kinds that are run; `nil` for all kinds of the session.
  /// - Throws: `invalidArgument` if a limit is less than 1, or a kind is unknown.
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
    self.limits = limits
    let isExtension = ledger.role == .appExtension
    let limit = isExtension ? Self.agendaLimit.appExtension : Self.agendaLimit.app
    contents = Mutex(Contents(agenda: WorkAgenda(of: kinds, limit: limit)))
  }

  private var now: Timestamp { configuration.timeForIDs }

  // MARK: Beginning and ending

  /// - Throws: `invalidArgument` if the session has a running runner.
  func begin() throws(LedgerError) {
    let wakeUp = wakeUp
    guard engine.replica.beginNews({ wakeUp() }) else {
      throw LedgerError(
        .invalidArgument,
        "A runner of this session is running. Raise its limits, or open another session for a second one."
      )
    }
    (engine.setup.clock as? any MovedLedgerClock)?.whenMoved { [weak self] in
      self?.wakeUp()
      return self != nil
    }
  }

  func end() { engine.replica.endNews() }

  /// Gives running code time to end, then cancels it and waits for it.
  func stop(after gracePeriod: Duration) async {
    // The caller's task may be cancelled.
    await Task.detached { [self] in
      let clock = ContinuousClock()
      let end = clock.now + gracePeriod
      while !isIdle, clock.now < end { await wakeUp.wait(atMost: end - clock.now) }
      let tasks = contents.withLock { contents in
        for running in contents.running.values { running.interruption.note(.stop) }
        return contents.running.values.compactMap(\.task)
      }
      for task in tasks { task.cancel() }
      for task in tasks { await task.value }
    }.value
  }

  private var isIdle: Bool { contents.withLock { $0.running.isEmpty } }

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

  private func run() async throws {
    while true {
      try Task.checkCancellation()
      do {
        try await look()
        try await startDue()
        await wakeUp.wait(atMost: timeUntilNext)
      } catch let error as LedgerError {
        try await wait(after: error)
      }
    }
  }

  /// Runs due work until there is no more, or the time is up.
  ///
  /// - Returns: Whether there is no more.
  func drain(until deadline: Timestamp) async throws -> Bool {
    let lastStart = deadline + (.zero - min(.seconds(5), (deadline - now) / 2))
    while true {
      try Task.checkCancellation()
      let remaining = deadline - now
      guard remaining > .zero else { return false }
      do {
        try await look()
        if now < lastStart { try await startDue() }
        let (isIdle, isDone) = contents.withLock { ($0.running.isEmpty, $0.agenda.isDone) }
        if isIdle, isDone || now >= lastStart { return isDone }
        await wakeUp.wait(atMost: remaining)
      } catch let error as LedgerError {
        try await wait(after: error)
      }
    }
  }

  /// The time to sleep; `nil` if only a change can make work due.
  private var timeUntilNext: Duration? {
    guard let next = contents.withLock({ $0.agenda.nextTime }) else { return nil }
    // A clock that a test moves tells when it does.
    guard !(engine.setup.clock is any MovedLedgerClock) else { return nil }
    // The clock may be set meanwhile.
    return max(.milliseconds(1), min(next - now, configuration.pollInterval))
  }

  /// Waits until another look may be worthwhile.
  ///
  /// - Throws: An error that ends the session.
  private func wait(after error: LedgerError) async throws {
    switch error.code {
    case .frozen: try await engine.phase.waitWhileFrozen()
    case .ledgerFull, .diskFull, .writerStalled, .ioFailure, .unavailable, .notDurable,
      .tooManyCommands, .tooManyReaders, .commitOutcomeUnknown:
      log("due work cannot be started yet", ["error": "\(error)"])
      contents.withLock { $0.agenda.noteMissed() }
      try await Task.sleep(for: configuration.pollInterval)
    default: throw error
    }
  }

  // MARK: Looking

  /// The maximum amount of work of one lane that is remembered.
  private static let laneLimit = 16

  private func search(_ kinds: Set<String>) -> WorkSearch {
    WorkSearch(
      now: now, kinds: kinds, limit: contents.withLock { $0.agenda.limit },
      laneLimit: Self.laneLimit)
  }

  /// Finds the work that became due since the last look.
  private func look() async throws {
    var news = engine.replica.takeNews()
    contents.withLock { contents in
      news.ids.formUnion(contents.unskipped)
      contents.unskipped = []
    }
    if !news.isComplete { contents.withLock { $0.agenda.noteMissed() } }
    if !news.ids.isEmpty || !news.isComplete { try await lookAtRunning(news) }
    if !news.ids.isEmpty {
      let search = search(kinds)
      let needs = SnapshotNeeds(ids: Set(news.ids.map(\.entityID)))
      let found = try await engine.read(needs: needs) { [ids = news.ids] state in
        try state.dueWork(among: ids, search)
      }
      contents.withLock { $0.agenda.add(found) }
    }
    let search = search(contents.withLock { $0.agenda.kindsToSearch(at: now) })
    guard !search.kinds.isEmpty else { return }
    contents.withLock { $0.agenda.beginSearch(of: search.kinds) }
    do {
      let found = try await engine.read(fromCopy: true) { state in try state.dueWork(search) }
      contents.withLock { $0.agenda.add(found) }
    } catch {
      contents.withLock { $0.agenda.noteMissed() }
      throw error
    }
  }

  /// Cancels the code of work that ended otherwise, was cancelled, or is run by another session.
  private func lookAtRunning(_ news: (ids: Set<PromiseID>, isComplete: Bool)) async throws {
    let attempts = contents.withLock { contents in
      contents.running.filter { !news.isComplete || news.ids.contains($0.key) }
        .mapValues(\.attempt)
    }
    guard !attempts.isEmpty else { return }
    let needs = SnapshotNeeds(ids: Set(attempts.keys.map(\.entityID)))
    let ended = try await engine.read(needs: needs) { state in
      try attempts.filter { id, attempt in try state.promise(id)?.hasEnded(attempt) ?? true }
    }
    let tasks = contents.withLock { contents in
      ended.keys.compactMap { id -> Task<Void, Never>? in
        contents.running[id]?.interruption.note(.ended)
        return contents.running[id]?.task
      }
    }
    for task in tasks { task.cancel() }
  }

  // MARK: Starting

  /// Starts due work, as much as the limits allow.
  private func startDue() async throws {
    do {
      try await passOn(contents.withLock { $0.agenda.takeFollowers() })
      while true {
        let candidates = takeDue()
        guard !candidates.isEmpty else { return }
        try await claim(candidates)
      }
    } catch {
      contents.withLock { $0.agenda.noteMissed() }
      throw error
    }
  }

  /// Takes the work to start next, as much as the limits and one command allow.
  private func takeDue() -> [WorkCandidate] {
    contents.withLock { contents in
      var counts = contents.counts
      var taken: [WorkCandidate] = []
      let room = min(limits.total - contents.running.count, ClaimWork.maximumCount)
      while taken.count < room {
        let candidate = contents.agenda.takeFirst { name in
          let kind = presentName(of: name)
          return limits.kinds[kind].map { counts[kind, default: 0] < $0 } ?? true
        }
        guard let candidate else { break }
        // Its code goes on after a freeze, and takes the work up again when it ends; or it is just ending.
        guard contents.running[candidate.id] == nil else {
          contents.skipped.insert(candidate.id)
          continue
        }
        counts[presentName(of: candidate.kind), default: 0] += 1
        taken.append(candidate)
      }
      return taken
    }
  }

  private func presentName(of kind: String) -> String {
    configuration.handlers[work: kind]?.type.kind ?? kind
  }

  private func claim(_ candidates: [WorkCandidate]) async throws {
    guard !candidates.isEmpty else { return }
    let command = ClaimWork(candidates.map(\.id), runnableKinds: kinds)
    // Once the claim is on its way, the code must run, even if the task is cancelled meanwhile.
    let claims = try await Task { [engine] in try await engine.submit(command) }.value
    for (candidate, claim) in zip(candidates, claims) {
      switch claim {
      case .started(let entity): try start(entity, candidate)
      case .laneFull(let lane):
        contents.withLock { $0.agenda.setAside(candidate, behindLane: lane.name) }
      case .suspect: contents.withLock { $0.agenda.setAside(suspect: candidate) }
      case .notDue(.at(let time)): contents.withLock { $0.agenda.add(time) }
      case .excluded(let promise):
        try await passOn(promise.id, to: [candidate.id])
      case .refused(let error):
        log("work cannot be started", ["promise": "\(candidate.id)", "error": "\(error)"])
      case .notDue, .running, .parked, .ended, .unregistered: break
      }
    }
  }

  private func start(_ entity: PromiseEntity, _ candidate: WorkCandidate) throws(LedgerError) {
    // Without the ledger, the session ends, and gives the work back.
    guard let ledger else { throw .sessionClosed }
    let id = entity.id
    let interruption = Interruption()
    let place = entity.workPlace
    contents.withLock { contents in
      let kind = presentName(of: candidate.kind)
      contents.counts[kind, default: 0] += 1
      contents.running[id] = Running(
        attempt: entity.progress?.attempt ?? 0, kind: kind, lane: place?.lane?.name,
        isSuspect: entity.progress?.isSuspect ?? false, interruption: interruption)
    }
    let attempt = WorkAttempt(ledger: ledger, entity: entity, interruption: interruption)
    // Detached, so that code does not inherit the priority or the task-local values of the runner.
    let task = Task.detached {
      await attempt.run()
      self.noteEnd(of: id)
    }
    contents.withLock { $0.running[id]?.task = task }
  }

  private func noteEnd(of id: PromiseID) {
    contents.withLock { contents in
      guard let running = contents.running.removeValue(forKey: id) else { return }
      contents.counts[running.kind, default: 1] -= 1
      if contents.skipped.remove(id) != nil { contents.unskipped.insert(id) }
      if let lane = running.lane { contents.agenda.release(lane: lane) }
      if running.isSuspect { contents.agenda.releaseSuspects() }
    }
    wakeUp()
  }

  /// Lets work take over the outcomes that exclude it.
  private func passOn(_ candidates: [WorkCandidate]) async throws {
    for (promise, group) in Dictionary(grouping: candidates, by: \.excludedBy) {
      guard let promise else { continue }
      for slice in group.map(\.id).slices(of: ClaimWork.maximumCount) {
        try await passOn(promise, to: Array(slice))
      }
    }
  }

  private func passOn(_ promise: PromiseID, to ids: [PromiseID]) async throws {
    var content: [UInt8]?
    if let attachment = try await engine.read({ try $0.promise(promise)?.attachment }) {
      content = try await engine.attachment(
        of: attachment.position, byteCount: attachment.byteCount)
    }
    try await engine.submit(FollowOutcome(promise, content: content, by: ids))
  }

  private func log(_ what: Logger.Message, _ metadata: Logger.Metadata) {
    configuration.logger.warning(what, metadata: metadata)
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

extension PromiseEntity {
  /// Whether the code of an attempt need not go on.
  fileprivate func hasEnded(_ attempt: UInt32) -> Bool {
    guard status == .pending, let progress else { return true }
    return progress.attempt != attempt || progress.cancelRequest != nil
  }
}
