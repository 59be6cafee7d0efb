import LedgerRuntime

/// What failed, what is stuck and what waits in a ledger.
struct Overview {
  /// The last event.
  let head: Position
  /// The number of sessions that have not ended.
  private(set) var sessions: [Liveness: Int] = [:]
  private var counts: [OverviewFinding.Kind: OverviewFinding] = [:]

  /// - Parameter progress: Called now and then.
  init(of replayed: ReplayedLedger, at now: Timestamp, progress: () -> Void) throws {
    head = replayed.position
    try replayed.forEachSession(progress: progress) { session, presence in
      let liveness = Liveness(session, presence)
      sessions[liveness, default: 0] += 1
      if liveness == .dead { add(.deadSessions, session.id.entityID, session.lastTime) }
      return true
    }
    try replayed.forEachWork(at: now, progress: progress) { record, standing in
      add(Self.kind(of: standing, record), record.id.entityID, standing.since)
      return true
    }
    let presences = try replayed.sessionPresences()
    try replayed.forEachOpenPromise(progress: progress) { promise in
      let kind = try Self.kind(of: promise, in: replayed, presences, at: now)
      add(kind, promise.id.entityID, promise.resolution?.resolvedAt ?? promise.created.time)
      return true
    }
    try replayed.forEachJointOrOutcome(progress: progress) { record in
      let kind =
        record.status == .pending ? .waitingJoints : Self.kind(ofOutcome: record.failed)
      add(kind, record.id.entityID, record.stateTime)
      return true
    }
    try addHandlers(of: replayed, progress: progress)
    try replayed.forEachEndedFailure(
      after: RecentFailures.start(in: replayed), progress: progress
    ) { failure in
      switch failure {
      case .promise(let record):
        add(
          record.work == nil ? .failedPromises : .failedWork, record.id.entityID,
          record.resolved?.time ?? record.created.time)
      case .handler(let record):
        add(.failedHandlers, record.id.entityID, record.lastFinish?.trace.time)
      }
      return true
    }
  }

  private mutating func addHandlers(of replayed: ReplayedLedger, progress: () -> Void) throws {
    let liveness = try SessionLiveness(replayed)
    try replayed.forEachHandler(progress: progress) { handler in
      let id = handler.id.entityID
      let runners = try liveness.runners(of: handler)
      if handler.lastFinish?.outcome == .failed {
        add(.failedHandlers, id, handler.lastFinish?.trace.time)
      }
      if let lost = handler.openCalls.first(where: { call in
        call.release == nil && [.dead, .ended].contains(runners[call.newestStart.session] ?? .dead)
      }) {
        add(.lostCalls, id, lost.newestStart.time)
      } else if let released = handler.openCalls.first(where: { $0.release != nil }) {
        add(.givenBackCalls, id, released.newestStart.time)
      } else if let running = handler.openCalls.first {
        add(.runningCalls, id, running.newestStart.time)
      } else {
        add(.uncalledHandlers, id, handler.created.time)
      }
      return true
    }
  }

  private mutating func add(
    _ kind: OverviewFinding.Kind, _ id: EntityID, _ time: Timestamp?
  ) {
    counts[kind, default: OverviewFinding(kind)].add(id, time)
  }

  private static func kind(
    of standing: WorkStanding, _ record: PromiseRecord
  ) -> OverviewFinding.Kind {
    switch standing.state {
    case .parked: return .parkedWork
    case .retrying: return .retryingWork
    case .orphaned: return .orphanedWork
    case .due: return .dueWork
    case .running:
      switch standing.presence {
      case .alive: return .runningWork
      case .frozen: return .frozenWork
      default: return .lostWork
      }
    default:
      if case .waiting(let trigger)? = record.work?.state, trigger.time != nil,
        trigger.awaited.isEmpty
      {
        return .timedWork
      }
      return .waitingWork
    }
  }

  private static func kind(
    of promise: PromiseEntity, in replayed: ReplayedLedger, _ presences: SessionPresences,
    at now: Timestamp
  ) throws -> OverviewFinding.Kind {
    guard promise.status == .pending else { return kind(ofOutcome: promise.failed) }
    if promise.isOverdue(at: now) { return .overduePromises }
    return try replayed.isOrphaned(promise, presences) ? .orphanedPromises : .pendingPromises
  }

  /// - Parameter failed: Whether the outcome that is not consumed is a failure.
  private static func kind(ofOutcome failed: Bool) -> OverviewFinding.Kind {
    failed ? .failedPromises : .unconsumedPromises
  }

  /// What there is, the worst first.
  var findings: [OverviewFinding] { OverviewFinding.Kind.allCases.compactMap { counts[$0] } }

  /// Whether something failed or is stuck.
  var needsAttention: Bool { findings.contains { $0.kind.group != .waits } }

  // MARK: For people

  func write(of ledger: LedgerWords, _ now: Timestamp, to sink: any TextSink) throws {
    if !needsAttention { try sink.write("\nNothing failed, and nothing is stuck.\n") }
    let width = findings.map { String($0.count).count }.max() ?? 0
    for group in OverviewFinding.Group.allCases {
      let members = findings.filter { $0.kind.group == group }
      guard !members.isEmpty else { continue }
      let title = group.rawValue.uppercased()
      try sink.write(sink.isStyled ? "\n\u{1B}[1m\(title)\u{1B}[0m\n" : "\n\(title)\n")
      for finding in members {
        let number = "\(finding.count)".padded(toWidth: width, isRightAligned: true)
        let words = "\(number)  \(finding.words(at: now))"
        let command = finding.command(of: ledger)
        let line = "\(words.padded(toWidth: width + 2 + Self.wordsWidth))  \(command)"
        if line.count <= sink.width {
          try sink.write(line + "\n")
        } else {
          // A command that is cut could not be pasted.
          let indentation = String(repeating: " ", count: width + 2)
          try sink.write("\(words.cut(toWidth: sink.width))\n\(indentation)\(command)\n")
        }
      }
    }
    try sink.flush()
  }

  private static let wordsWidth = 60
}
