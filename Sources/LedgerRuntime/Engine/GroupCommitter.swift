import LedgerSystem
package import Logging

/// Turns pending commands into one commit after another, on the writer thread.
package final class GroupCommitter {
  /// The maximum number of commands in one commit, which holds the write lock for about a millisecond.
  static let maximumCommandCount = 1_000

  /// The maximum number of events to catch up with while other writers wait.
  private static let maximumMissedEventCount = 1_000

  private let inbox: Inbox
  private let replica: Replica
  /// The clock to use instead of the store's time, if any.
  private let clock: (any LedgerClock)?
  private let session: SessionID
  private let role: SessionRole
  private let sessions: any SessionRegistry
  private let logger: Logger
  private var lagWatch = ClockLagWatch()
  private var commitNumber: UInt64 = 0
  private var commitID: CommitID { CommitID(session: session, number: commitNumber) }
  /// The clock that measures waits.
  private let now: () -> Duration
  /// The time since which the writer has been waiting for the gate.
  private var waitsSince: Duration?
  /// The amount of work that may wait for a runner before more is refused; `nil` for any amount.
  package var maximumQueuedWorkCount: Int?

  #if DEBUG
    /// A deliberate bug; see ``EngineHooks``.
    package var acknowledgesBeforeCommit = false
  #endif

  package init(
    inbox: Inbox, replica: Replica, clock: (any LedgerClock)?, session: SessionID,
    role: SessionRole,
    sessions: any SessionRegistry,
    logger: Logger = Logger(label: "PromiseLedger") { _ in SwiftLogNoOpLogHandler() },
    now: @escaping () -> Duration = { MonotonicClock.now }
  ) {
    self.now = now
    self.inbox = inbox
    self.replica = replica
    self.clock = clock
    self.session = session
    self.role = role
    self.sessions = sessions
    self.logger = logger
  }

  /// Commits pending commands as one group, and delivers their answers.
  ///
  /// - Parameters:
  ///   - first: Commands about the session itself, decided before all others.
  ///   - takesCommands: Whether to include the commands in the inbox; the session must then be open.
  ///   - yieldsToRequests: Whether the wait ends when the session is asked to freeze or close.
  ///   - stallTimeout: The maximum time that a command waits for another writer before it fails.
  ///   - budget: The maximum time that this call waits; by default until the first command must fail.
  /// - Returns: The reason why nothing was committed, or `nil`. After an interrupted wait, or one for another
  ///   writer, the commands that have time left stay pending.
  package func commitGroup(
    to store: any EventStore, first: [Job] = [], takesCommands: Bool = true,
    yieldsToRequests: Bool = true, stallTimeout: Duration, budget: Duration? = nil
  ) -> LedgerError? {
    var group = Group(first: first, hasCommands: takesCommands)
    commitNumber += 1
    let waitsSince = waitsSince ?? now()
    self.waitsSince = waitsSince
    // A command that arrives while an older one waits has its own time.
    let oldest = (takesCommands ? inbox.oldestSubmission : nil) ?? now()
    let patience = budget ?? max(oldest, waitsSince) + stallTimeout - now()
    do throws(LedgerError) {
      try commit(
        &group, to: store,
        Patience(
          max(.zero, patience), waitInAll: stallTimeout,
          // A session that freezes or ends cannot wait for a server that has lost its standby.
          limitsCommit: !yieldsToRequests
        ) { [inbox] in yieldsToRequests && inbox.hasRequests })
      self.waitsSince = nil
      if let staged = group.staged { replica.merge(staged, of: commitID) }
      replica.deliver(from: store)
      for deliver in group.deliveries { deliver(nil) }
      // All answers have been delivered by now, and the gate is free.
      replica.dropFolded(placeLimit: replica.withState { $0.takeDropBudget() })
      return nil
    } catch {
      if error.code == .writerStalled || error.lookAgain == .interrupted {
        group.putBack(into: inbox)
      } else {
        self.waitsSince = nil
      }
      if !group.isTaken { takeFailed(&group, error, waitsSince, stallTimeout) }
      replica.deliver(from: store)
      for job in group.jobs { job.fail(error) }
      return error
    }
  }

  /// Takes the commands that fail together with a commit that ended before it took any.
  private func takeFailed(
    _ group: inout Group, _ error: LedgerError, _ waitsSince: Duration, _ stallTimeout: Duration
  ) {
    if error.lookAgain == .interrupted { return }
    guard error.code == .writerStalled else { return group.take(from: inbox, limit: .max) }
    let moment = now() - stallTimeout
    if waitsSince <= moment { group.jobs += inbox.take(submittedUpTo: moment) }
  }

  /// Resets the wait: a frozen session does not wait for the gate.
  func pause() { waitsSince = nil }

  /// Begins, catches up, decides and writes; decides again if another writer was first, as long as the time
  /// limit allows, and once more after it.
  private func commit(
    _ group: inout Group, to store: any EventStore, _ patience: Patience
  ) throws(LedgerError) {
    let deadline = now() + patience.timeout
    let turn = try begin(store, patience, until: deadline)
    defer { store.endCommit() }
    var head = turn.head
    // A store may find only after the deadline that a commit whose connection was lost was not written.
    var isLast = patience.limitsCommit
    while true {
      try prepare(&group)
      if replica.position < head { _ = try replica.catchUp(from: store) }
      let batch = try decide(&group, turn.room, store)
      guard let base = group.staged?.basePosition else { return }
      switch try write(batch, after: base, to: store) {
      case .appended: return
      case .headMoved(let newHead):
        if patience.isOver() { throw .interrupted }
        if now() >= deadline {
          guard !isLast else { throw .outrun(patience.waitInAll) }
          isLast = true
        }
        head = newHead
      }
    }
  }

  /// Appends the events of a group. If there are none, its answers must still be based on the newest event:
  /// another writer may have been faster, after which this group's commands were submitted.
  private func write(
    _ batch: EventBatch, after base: Position, to store: any EventStore
  ) throws(LedgerError) -> AppendOutcome {
    guard batch.isEmpty else { return try store.append(batch, commitID, after: base) }
    guard let head = try store.newerHead(than: base) else { return .appended(through: base) }
    return .headMoved(to: head)
  }

  /// Begins a commit on a state that lacks only a few events.
  private func begin(
    _ store: any EventStore, _ patience: Patience, until deadline: Duration
  ) throws(LedgerError) -> CommitTurn {
    let turn = try beginOnSameLog(store, patience)
    let missed = replica.position.advanced(by: Self.maximumMissedEventCount)
    guard turn.head > missed else { return turn }
    // Done only once while others write: no writer should wait for a process that was stopped for a long
    // time.
    store.endCommit()
    _ = try replica.catchUp(from: store)
    var rest = patience
    rest.timeout = max(.zero, deadline - now())
    return try beginOnSameLog(store, rest)
  }

  /// Begins a commit on the log that this process has read.
  private func beginOnSameLog(
    _ store: any EventStore, _ patience: Patience
  ) throws(LedgerError) -> CommitTurn {
    let known = replica.end
    let turn = try store.beginCommit(patience)
    do throws(LedgerError) {
      guard turn.head >= known.position else {
        throw .vanished(after: turn.head, known: known.position)
      }
      // Later events are verified by the view that shows them.
      if turn.head == known.position, let commit = known.commit, turn.headCommit != commit {
        throw .historyChanged(at: known.position)
      }
      return turn
    } catch {
      store.endCommit()
      throw error
    }
  }

  /// Takes the commands to decide, without outdated death notices. It does so once no other writer can
  /// intervene, so that both are the newest.
  private func prepare(_ group: inout Group) throws(LedgerError) {
    if !group.isTaken { group.take(from: inbox, limit: Self.maximumCommandCount) }
    let presumedDead = group.jobs.compactMap(\.presumedDead)
    guard !presumedDead.isEmpty else { return }
    let findings = try sessions.findings(of: presumedDead)
    group.drop(noticesOf: Set(zip(presumedDead, findings).filter { $1 != .dead }.map { $0.0.id }))
  }

  /// Decides the group against the newest state that this process knows.
  private func decide(
    _ group: inout Group, _ room: CommitRoom, _ store: any EventStore
  ) throws(LedgerError) -> EventBatch {
    let context = DecisionContext(
      session: session, role: role, now: clock?.now() ?? store.now(), room: room,
      maximumQueuedWorkCount: maximumQueuedWorkCount)
    var needs = SnapshotNeeds(ids: [session.entityID])
    needs.checksLists = true
    // Without a snapshot, all entities are in memory.
    if replica.withState({ $0.base > .start }) { group.addNeeds(to: &needs, session) }
    let decided = try replica.decide(with: store, needs: needs) {
      (base) throws(LedgerError) in try group.decided(over: base, context)
    }
    reportLag(of: context.now, behind: decided.newestTime)
    let count = decided.deliveries.count
    if count < group.jobs.count { inbox.putBack(group.jobs[count...]) }
    group.keep(decided.staged, decided.deliveries)
    #if DEBUG
      if acknowledgesBeforeCommit { group.answerEarly() }
    #endif
    return decided.batch
  }

  /// Reports a clock that is behind the newest event; it is used nevertheless.
  private func reportLag(of now: Timestamp, behind newest: Timestamp) {
    guard let lag = lagWatch.lagToReport(now: now, newestEvent: newest) else { return }
    logger.warning(
      "the clock is behind the newest event: one of the clocks is wrong",
      metadata: ["seconds": "\(lag.components.seconds)", "newestEvent": "\(newest)"])
  }

  /// The decision on a group; a class, because copying it takes time.
  private final class DecidedGroup {
    /// The time of the newest event before the commit.
    let newestTime: Timestamp
    let staged: StagedLayer
    let batch: EventBatch
    let deliveries: [Job.Delivery]

    init(
      newestTime: Timestamp, staged: StagedLayer, batch: EventBatch, deliveries: [Job.Delivery]
    ) {
      self.newestTime = newestTime
      self.staged = staged
      self.batch = batch
      self.deliveries = deliveries
    }
  }

  /// The commands of one commit and their results.
  private struct Group {
    var jobs: [Job]
    /// The number of commands about the session itself.
    private(set) var firstCount: Int
    /// Whether the group includes commands of the inbox, not only those about the session.
    let hasCommands: Bool
    var isTaken: Bool
    var deliveries: [Job.Delivery] = []
    var staged: StagedLayer?

    init(first: [Job], hasCommands: Bool) {
      jobs = first
      firstCount = first.count
      self.hasCommands = hasCommands
      isTaken = !hasCommands
    }

    /// Adds the entities that the commands are known to look up.
    func addNeeds(to needs: inout SnapshotNeeds, _ session: SessionID) {
      for job in jobs { job.addSubjects(&needs, session) }
    }

    /// Decides as many of the commands as fit into one commit, without the store and without the
    /// registry of sessions.
    func decided(
      over base: consuming LedgerState, _ context: DecisionContext
    ) throws(LedgerError) -> DecidedGroup {
      let newestTime = base.time
      var decision = Decision(over: base, context: context)
      if hasCommands { try decision.requireOwnSession() }
      _ = try decision.run(TimeOutDuePromises())
      var deliveries: [Job.Delivery] = []
      for (index, job) in jobs.enumerated() {
        guard index < firstCount || decision.batch.byteCount < EventBatch.largestGroupByteCount
        else { break }
        deliveries.append(job.decide(&decision))
      }
      return DecidedGroup(
        newestTime: newestTime, staged: decision.staged, batch: decision.batch,
        deliveries: deliveries)
    }

    /// Keeps the results of the first commands only.
    mutating func keep(_ staged: StagedLayer, _ deliveries: [Job.Delivery]) {
      jobs.removeSubrange(deliveries.count...)
      self.staged = staged
      self.deliveries = deliveries
    }

    mutating func take(from inbox: Inbox, limit: Int) {
      jobs += inbox.take(limit: limit)
      isTaken = true
    }

    /// Puts back the commands taken from the inbox, because the commit gave up before it wrote.
    mutating func putBack(into inbox: Inbox) {
      guard hasCommands, isTaken else { return }
      inbox.putBack(jobs.dropFirst(firstCount))
      jobs = Array(jobs.prefix(firstCount))
      isTaken = false
    }

    /// Drops the death notices of sessions that showed a sign of life.
    mutating func drop(noticesOf sessions: Set<SessionID>) {
      let isMoot = { (job: Job) in job.presumedDead.map { sessions.contains($0.id) } ?? false }
      firstCount -= jobs[..<firstCount].count(where: isMoot)
      jobs.removeAll(where: isMoot)
    }

    #if DEBUG
      mutating func answerEarly() {
        for deliver in deliveries { deliver(nil) }
        deliveries = []
        jobs = []
      }
    #endif
  }
}

extension LedgerError {
  /// The error for a commit that other writers preceded repeatedly, until the time was up.
  fileprivate static func outrun(_ timeout: Duration) -> LedgerError {
    LedgerError(
      .writerStalled,
      "Other writers committed first each time, for \(timeout). Nothing was written; try again."
    )
  }
}
