import Logging
import Synchronization

/// The loop of a runner: looks for due work, starts it, and waits for changes.
final class WorkLoop: Sendable {
  /// An attempt that this runner runs.
  fileprivate struct Running {
    /// The present name of the kind.
    let kind: String
    let lane: String?
    let isSuspect: Bool
    let flow: WorkFlow
    let interruption: Interruption
    var task: Task<Void, Never>?
  }

  fileprivate struct Contents {
    var agenda: WorkAgenda
    var running: [PromiseID: Running] = [:]
    /// Work that was given back because its code waits, in memory.
    var waiting: [PromiseID: Running] = [:]
    /// The number of running attempts by the present name of their kind.
    var counts: [String: Int] = [:]
    /// Promises that changed and were not looked at yet.
    var changed: Set<PromiseID> = []
    /// Whether other promises may have changed, so that all running work must be looked at.
    var hasMissedChanges = false
    /// Work that was found due again before its attempt ended here.
    var skipped: Set<PromiseID> = []
    /// Whether the session may have started attempts of which this runner does not know.
    var hasLostClaims = false
  }

  /// The maximum amount of due work of a kind that is remembered; in an app extension, which has little memory.
  private static let agendaLimit = (app: 1_024, appExtension: 64)

  /// The maximum amount of work whose code waits in memory.
  private static let waitingLimit = (app: 1_000, appExtension: 16)

  /// The maximum amount of work of one lane that is remembered and was never started.
  private static let laneLimit = 16

  let engine: LedgerEngine
  private let configuration: LedgerConfiguration
  /// Weak, because a loop that runs by itself must not keep the session from ending.
  private weak let ledger: Ledger?
  /// All names of the kinds that are run.
  let kinds: Set<String>
  private let limits: RunnerLimits
  private let waitingLimit: Int
  private let wakeUp = WakeUp()
  private let contents: Mutex<Contents>

  /// - Parameter names: The present names of the kinds that are run; `nil` for all kinds of the session.
  /// - Throws: `invalidArgument` if a limit is less than 1, a kind is unknown, or the values of a kind need a
  ///   codec that the session does not have.
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
    self.limits = limits
    let isExtension = ledger.role == .appExtension
    let limit = isExtension ? Self.agendaLimit.appExtension : Self.agendaLimit.app
    waitingLimit = isExtension ? Self.waitingLimit.appExtension : Self.waitingLimit.app
    contents = Mutex(Contents(agenda: WorkAgenda(of: kinds, limit: limit)))
  }

  /// The time by which decisions judge what is due.
  var now: Timestamp {
    engine.phase.store.map { engine.now($0) } ?? configuration.timeForIDs
  }

  // MARK: Beginning and ending

  /// - Throws: `invalidArgument` if the session has a running runner.
  func begin() throws(LedgerError) {
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
  }

  func end() { engine.replica.endNews() }

  /// Gives running code time to end, then cancels it and waits for it.
  ///
  /// - Parameters:
  ///   - gracePeriod: The time before the code is cancelled.
  ///   - waitsForEver: Whether to wait for code that ignores the cancellation; if not, it is left behind after
  ///     a second.
  func stop(after gracePeriod: Duration, waitsForEver: Bool = true) async {
    // The caller's task may be cancelled.
    await Task.detached { [self] in
      await waitUntilIdle(atMost: gracePeriod)
      let code = contents.withLock { contents in
        for running in contents.running.values { running.interruption.note(.stop) }
        return Array(contents.running.values) + Array(contents.waiting.values)
      }
      // Waiting code has given its work back.
      for waiting in code where !waiting.flow.isRunning { waiting.flow.end() }
      let tasks = code.compactMap(\.task)
      for task in tasks { task.cancel() }
      if waitsForEver {
        for task in tasks { await task.value }
      } else {
        await waitUntilIdle(atMost: .seconds(1))
      }
      // Code that was giving its work back, or taking it up, may have left an attempt behind.
      try? await releaseLostClaims()
    }.value
  }

  private func waitUntilIdle(atMost duration: Duration) async {
    let clock = ContinuousClock()
    let end = clock.now + duration
    while !isIdle, clock.now < end { await wakeUp.wait(atMost: end - clock.now) }
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
        try await startDue { true }
        if contents.withLock({ $0.changed.isEmpty }) { await wakeUp.wait(atMost: timeUntilNext) }
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
        try await startDue { now < lastStart }
        let (isIdle, isDone) = contents.withLock { contents in
          (contents.running.isEmpty, contents.agenda.isDone && contents.changed.isEmpty)
        }
        if isIdle, isDone || now >= lastStart { return isDone }
        await wakeUp.wait(atMost: min(remaining, timeUntilNext ?? remaining))
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
        (contents.agenda.isDone && contents.changed.isEmpty, contents.running.values.map(\.flow))
      }
      let (rests, now) = (flows.compactMap(\.restsUntil), now)
      if isDone, rests.count == flows.count, rests.allSatisfy({ $0 > now }) { return rests.min() }
      await wakeUp.wait(atMost: nil)
    }
  }

  /// Cuts running and waiting code off from its work, and does not wait for it.
  func abandonCode() {
    let code = contents.withLock { Array($0.running.values) + Array($0.waiting.values) }
    for code in code {
      code.interruption.note(.ended)
      code.flow.end()
      code.task?.cancel()
    }
    wakeUp()
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

  // MARK: Looking

  private func search(_ kinds: Set<String>) -> WorkSearch {
    let (limit, fullLanes) = contents.withLock { ($0.agenda.limit, $0.agenda.fullLanes) }
    return WorkSearch(
      now: now, kinds: kinds, limit: limit, laneLimit: Self.laneLimit, fullLanes: fullLanes)
  }

  /// Finds the work that became due since the last look.
  private func look() async throws {
    let ids = takeChanges()
    do {
      try await lookAtRunning(ids)
      try await releaseLostClaims()
      try await look(at: ids)
      try await searchAll()
    } catch {
      contents.withLock { contents in
        contents.changed.formUnion(ids)
        contents.hasMissedChanges = true
        contents.agenda.noteMissed()
      }
      throw error
    }
  }

  private func takeChanges() -> Set<PromiseID> {
    let news = engine.replica.takeNews()
    return contents.withLock { contents in
      if !news.isComplete {
        contents.agenda.noteMissed()
        contents.hasMissedChanges = true
      }
      if !contents.running.values.contains(where: \.isSuspect) { contents.agenda.releaseSuspects() }
      defer { contents.changed = [] }
      return contents.changed.union(news.ids)
    }
  }

  /// Looks at promises that changed, then at the lanes and the work that this concerns.
  private func look(at ids: Set<PromiseID>) async throws {
    let search = search(kinds)
    var awaited: Set<PromiseID> = []
    if !ids.isEmpty {
      let needs = SnapshotNeeds(ids: Set(ids.map(\.entityID)))
      let found = try await engine.read(needs: needs) { state in
        try state.dueWork(among: ids, search)
      }
      awaited = found.awaited
      contents.withLock { $0.agenda.add(found) }
    }
    let lanes = contents.withLock { $0.agenda.takeLanesToSearch() }
    guard !lanes.isEmpty || !awaited.isEmpty else { return }
    do {
      let needs = try await engine.read { [awaited] state in
        state.needs(ofLanes: lanes, awaiting: awaited)
      }
      let found = try await engine.read(needs: needs) { [awaited] state in
        try state.dueWork(inLanes: lanes, awaiting: awaited, search)
      }
      contents.withLock { $0.agenda.add(found) }
    } catch {
      contents.withLock { contents in for lane in lanes { contents.agenda.release(lane: lane) } }
      throw error
    }
  }

  /// Looks through all work of the kinds of which none is known to be due, but some may be.
  private func searchAll() async throws {
    let kinds = contents.withLock { contents in
      let kinds = contents.agenda.kindsToSearch(at: now)
      contents.agenda.beginSearch(of: kinds)
      return kinds
    }
    guard !kinds.isEmpty else { return }
    let search = search(kinds)
    let found = try await engine.read(fromCopy: true) { state in try state.dueWork(search) }
    contents.withLock { $0.agenda.add(found) }
  }

  /// Ends the code of work that ended otherwise or is run by another session, and tells code that its work was
  /// cancelled.
  private func lookAtRunning(_ ids: Set<PromiseID>) async throws {
    let flows = contents.withLock { contents in
      defer { contents.hasMissedChanges = false }
      let all = contents.running.merging(contents.waiting) { running, _ in running }
      return all.filter { contents.hasMissedChanges || ids.contains($0.key) }.mapValues(\.flow)
    }
    guard !flows.isEmpty else { return }
    let session = engine.setup.session
    let needs = SnapshotNeeds(ids: Set(flows.keys.map(\.entityID)))
    let news = try await engine.read(needs: needs) { state in
      var news: [PromiseID: CodeNews] = [:]
      for (id, flow) in flows {
        do throws(LedgerError) {
          news[id] = CodeNews(try state.promise(id), attempt: flow.attempt, in: session)
        } catch {
          // Other code must not wait for a record that this build cannot read.
          guard error.isOfUnreadableItem else { throw error }
          news[id] = .ended
        }
      }
      return news
    }
    for (id, news) in news {
      guard let code = contents.withLock({ $0.running[id] ?? $0.waiting[id] }) else { continue }
      switch news {
      case .ended:
        code.interruption.note(.ended)
        code.flow.end()
        code.task?.cancel()
      case .cancelled:
        // Code that gave its work back learns of it when it goes on.
        guard code.flow.isRunning else { continue }
        code.flow.noteCancelRequest()
        // Code with steps learns of it from them, and may have something to undo.
        guard !code.flow.usesSteps else { continue }
        code.interruption.note(.ended)
        code.task?.cancel()
      }
    }
  }

  /// Gives back attempts that the session started, but whose claims were not answered.
  private func releaseLostClaims() async throws {
    guard contents.withLock({ $0.hasLostClaims }) else { return }
    let session = engine.setup.session
    let started = try await engine.read(fromCopy: true) { try $0.runningWork(of: session) }
    let unknown = contents.withLock { contents in
      started.filter { contents.running[$0.id] == nil && contents.waiting[$0.id] == nil }
    }
    for work in unknown {
      _ = try await engine.submit(
        ReleaseWork(id: work.id, attempt: work.progress?.attempt ?? 0, reason: .cancelled))
    }
    contents.withLock { $0.hasLostClaims = false }
  }

  // MARK: Starting

  /// Starts due work, as much as the limits allow.
  ///
  /// - Parameter mayStart: Asked before each command.
  private func startDue(while mayStart: () -> Bool) async throws {
    try await passOn(contents.withLock { $0.agenda.takeFollowers() })
    while mayStart() {
      try Task.checkCancellation()
      let candidates = takeDue()
      guard !candidates.isEmpty else { return }
      try await claim(candidates)
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
    let command = ClaimWork(candidates.map(\.id), runnableKinds: kinds)
    // Once the claim is on its way, the code must run, even if the task is cancelled meanwhile.
    let claims = try await Task { [engine] in try await engine.submit(command) }.value
    var excluded: [(id: PromiseID, by: PromiseID)] = []
    for (candidate, claim) in zip(candidates, claims) {
      switch claim {
      case .started(let entity): try start(entity, candidate)
      case .laneFull(let lane): contents.withLock { $0.agenda.noteFull(lane: lane.name) }
      case .suspect: contents.withLock { $0.agenda.setAside(suspect: candidate) }
      case .notDue(let trigger):
        if let time = trigger.time { contents.withLock { $0.agenda.add(time) } }
      case .excluded(let promise): excluded.append((candidate.id, promise.id))
      case .refused(let error):
        log("work cannot be started", ["promise": "\(candidate.id)", "error": "\(error)"])
      case .running, .parked, .ended, .unregistered: break
      }
    }
    for (id, promise) in excluded { try await passOn(promise, to: [id]) }
  }

  private func start(_ entity: PromiseEntity, _ candidate: WorkCandidate) throws(LedgerError) {
    // Without the ledger, the session ends, and gives the work back.
    guard let ledger else { throw .sessionClosed }
    let id = entity.id
    if goOn(entity) { return }
    let running = Running(
      kind: presentName(of: candidate.kind), lane: entity.workPlace?.lane?.name,
      isSuspect: entity.progress?.isSuspect ?? false, flow: WorkFlow(entity.progress),
      interruption: Interruption())
    contents.withLock { $0.noteRunning(id, running) }
    let attempt = WorkAttempt(
      ledger: ledger, entity: entity, flow: running.flow, observer: self,
      interruption: running.interruption)
    // Detached, so that code does not inherit the priority or the task-local values of the runner.
    let task = Task.detached {
      let isLost = await attempt.run()
      self.noteEnd(of: id, running.flow, isLost: isLost)
    }
    contents.withLock { contents in
      if contents.running[id]?.flow === running.flow { contents.running[id]?.task = task }
      if contents.waiting[id]?.flow === running.flow { contents.waiting[id]?.task = task }
    }
    if running.interruption.reason != nil { task.cancel() }
  }

  /// Lets code go on that waits in memory, if no other attempt ran meanwhile.
  private func goOn(_ entity: PromiseEntity) -> Bool {
    guard let waiting = contents.withLock({ $0.waiting.removeValue(forKey: entity.id) }) else {
      return false
    }
    // Noted before the code goes on, which may give the work back again.
    contents.withLock { $0.noteRunning(entity.id, waiting) }
    if waiting.flow.noteRunning(entity.progress?.attempt ?? 0, entity.progress) { return true }
    contents.withLock { $0.removeRunning(entity.id) }
    waiting.interruption.note(.ended)
    waiting.flow.end()
    waiting.task?.cancel()
    return false
  }

  private func noteEnd(of id: PromiseID, _ flow: WorkFlow, isLost: Bool) {
    contents.withLock { contents in
      if isLost { contents.hasLostClaims = true }
      if contents.waiting[id]?.flow === flow { contents.waiting[id] = nil }
      if contents.running[id]?.flow === flow { contents.removeRunning(id) }
    }
    wakeUp()
  }

  /// Lets work take over the outcomes that exclude it.
  private func passOn(_ candidates: [WorkCandidate]) async throws {
    for (promise, group) in Dictionary(grouping: candidates, by: \.excludedBy) {
      guard let promise else { continue }
      try await passOn(promise, to: group.map(\.id))
    }
  }

  private func passOn(_ promise: PromiseID, to ids: [PromiseID]) async throws {
    var content: [UInt8]?
    if let attachment = try await engine.read({ try $0.promise(promise)?.attachment }) {
      content = try await engine.attachment(
        of: attachment.position, byteCount: attachment.byteCount)
    }
    // A large outcome is copied for each, and a commit must stay small.
    let count = content == nil ? ClaimWork.maximumCount : 1
    for slice in ids.slices(of: count) {
      try await engine.submit(FollowOutcome(promise, content: content, by: Array(slice)))
    }
  }

  private func log(_ what: Logger.Message, _ metadata: Logger.Metadata) {
    configuration.logger.warning(what, metadata: metadata)
  }
}

extension WorkLoop: WorkObserver {
  func workWasSuspended(_ id: PromiseID, _ flow: WorkFlow) {
    let surplus = contents.withLock { contents -> Running? in
      // The code may have taken the work up again.
      guard let running = contents.running[id], running.flow === flow, !flow.isRunning else {
        return nil
      }
      contents.removeRunning(id)
      guard contents.waiting.count < waitingLimit else { return running }
      contents.waiting[id] = running
      return nil
    }
    surplus?.flow.end()
    surplus?.task?.cancel()
    wakeUp()
  }

  func workMayRest() {
    // Only a test that moves the clock wants to know.
    if engine.setup.clock is any MovedLedgerClock { wakeUp() }
  }

  func workWasTakenUp(_ id: PromiseID, _ flow: WorkFlow) {
    contents.withLock { contents in
      // It may have been cancelled meanwhile.
      contents.changed.insert(id)
      guard let waiting = contents.waiting[id], waiting.flow === flow else { return }
      contents.waiting[id] = nil
      contents.noteRunning(id, waiting)
    }
    wakeUp()
  }
}

extension WorkLoop.Contents {
  fileprivate mutating func noteRunning(_ id: PromiseID, _ code: WorkLoop.Running) {
    counts[code.kind, default: 0] += 1
    running[id] = code
    // The lane may have room for more.
    if let lane = code.lane { agenda.release(lane: lane) }
  }

  fileprivate mutating func removeRunning(_ id: PromiseID) {
    guard let code = running.removeValue(forKey: id) else { return }
    counts[code.kind, default: 1] -= 1
    if skipped.remove(id) != nil { changed.insert(id) }
    if let lane = code.lane { agenda.release(lane: lane) }
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

/// What running code must learn of its work.
private enum CodeNews {
  /// The work has ended, or another session runs it.
  case ended
  case cancelled

  /// - Returns: `nil` if there is nothing to learn.
  init?(_ entity: PromiseEntity?, attempt: UInt32, in session: SessionID) {
    guard let entity, entity.status == .pending, let progress = entity.progress,
      progress.attempt <= attempt || progress.start?.session == session
    else {
      self = .ended
      return
    }
    guard progress.cancelRequest != nil, !progress.knowsOfCancellation else { return nil }
    self = .cancelled
  }
}
