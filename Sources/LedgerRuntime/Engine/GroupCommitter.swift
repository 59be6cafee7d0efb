import LedgerSystem
import Logging

/// Turns the commands that wait into one commit after the other, on the writer thread.
final class GroupCommitter {
  /// The most commands of one commit, and the bytes of events after which no command is added: the
  /// write lock is then held for about a millisecond.
  static let maximumCommandCount = 1_000

  private let inbox: Inbox
  private let replica: Replica
  private let clock: any LedgerClock
  private let session: SessionID
  private let role: SessionRole
  private let sessions: any SessionRegistry
  private let logger: Logger
  private var lagWatch = ClockLagWatch()
  private var commitNumber: UInt64 = 0
  /// The time that waiting is measured in.
  private let now: () -> Duration
  /// Since when the writer waits for the gate without having passed it.
  private var waitsSince: Duration?

  #if DEBUG
    /// Makes the committer wrong; see ``EngineHooks``.
    var acknowledgesBeforeCommit = false
  #endif

  init(
    inbox: Inbox, replica: Replica, clock: any LedgerClock, session: SessionID, role: SessionRole,
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

  /// Commits what waits, as one group, and answers.
  ///
  /// - Parameters:
  ///   - first: Commands about the session itself, decided before all others.
  ///   - takesCommands: Whether what waits in the inbox comes along; the session must then be open.
  ///   - yieldsToRequests: Whether the wait ends when the session is asked to freeze or close.
  ///   - stallTimeout: How long a command waits for another writer before it fails.
  ///   - budget: How long this call may wait; by default until the first command must fail.
  /// - Returns: Why nothing was committed, or `nil`. A wait that was interrupted, or for another
  ///   writer, leaves the commands that have time left.
  func commitGroup(
    to store: any EventStore, first: [Job] = [], takesCommands: Bool = true,
    yieldsToRequests: Bool = true, stallTimeout: Duration, budget: Duration? = nil
  ) -> LedgerError? {
    var group = Group(first: first, hasCommands: takesCommands)
    commitNumber += 1
    let waitsSince = waitsSince ?? now()
    self.waitsSince = waitsSince
    // A command that came while an older one waited has its own time.
    let oldest = (takesCommands ? inbox.oldestSubmission : nil) ?? now()
    let patience = budget ?? max(oldest, waitsSince) + stallTimeout - now()
    do throws(LedgerError) {
      try commit(
        &group, to: store,
        Patience(max(.zero, patience), waitInAll: stallTimeout) {
          yieldsToRequests && self.inbox.hasRequests
        })
      self.waitsSince = nil
      if let staged = group.staged { replica.merge(staged) }
      replica.deliver()
      for deliver in group.deliveries { deliver(nil) }
      return nil
    } catch {
      if error.code != .writerStalled, error.code != .interrupted { self.waitsSince = nil }
      if !group.isTaken { takeFailed(&group, error, waitsSince, stallTimeout) }
      replica.deliver()
      for job in group.jobs { job.fail(error) }
      return error
    }
  }

  /// Takes the commands that fail with a commit that ended before it took any.
  private func takeFailed(
    _ group: inout Group, _ error: LedgerError, _ waitsSince: Duration, _ stallTimeout: Duration
  ) {
    switch error.code {
    case .interrupted:
      break
    case .writerStalled:
      let moment = now() - stallTimeout
      if waitsSince <= moment { group.jobs += inbox.take(submittedUpTo: moment) }
    default:
      group.take(from: inbox, limit: .max)
    }
  }

  /// Forgets that it waited: the session was frozen, and nobody waits for the gate meanwhile.
  func pause() { waitsSince = nil }

  /// Commits the group, and again if the snapshot moved before the gate was passed.
  private func commit(
    _ group: inout Group, to store: any EventStore, _ patience: Patience
  ) throws(LedgerError) {
    var rebases = false
    while true {
      do throws(LedgerError) {
        // In slices and before the gate: nobody shall wait for a process that was stopped for long.
        _ = try replica.catchUp(from: store, rebases: rebases)
        // Forgets deadlines that passed, so that deciding looks at few; if the snapshot moved, at more.
        _ = try? replica.withState { (state) throws(LedgerError) in
          try state.nextDeadline()?.deadline
        }
        var isOnSnapshot = false
        _ = try store.commit(
          CommitID(session: session, number: commitNumber), after: replica.position,
          patience: patience,
          catchUp: { (frame) throws(LedgerError) in
            if !isOnSnapshot { try requireSnapshot(of: store) }
            isOnSnapshot = true
            try replica.apply(frame)
          },
          decide: { (head, room) throws(LedgerError) in
            if !isOnSnapshot { try requireSnapshot(of: store) }
            // It may move if the store loses a race.
            isOnSnapshot = false
            try prepare(&group, head)
            return try decide(&group, room)
          })
        return
      } catch {
        guard error.code == .snapshotMoved || error.code == .eventsCompacted else { throw error }
        rebases = true
      }
    }
  }

  /// Makes sure that look-ups find the snapshot where they expect it: it stands still behind the gate.
  private func requireSnapshot(of store: any EventStore) throws(LedgerError) {
    if replica.withState({ $0.base }) > .start { try replica.rebase(from: store) }
  }

  /// Takes the commands that are to be decided, without death notices that no longer hold: behind the
  /// gate, so that both are the newest. A store that lost a race calls it again.
  private func prepare(_ group: inout Group, _ head: Position) throws(LedgerError) {
    guard replica.position == head else {
      throw LedgerError(
        .corrupt,
        "The log ends at position \(head), and this process knows events up to \(replica.position): the ledger was replaced. Close it and open it again."
      )
    }
    if !group.isTaken { group.take(from: inbox, limit: Self.maximumCommandCount) }
    let presumedDead = group.jobs.compactMap(\.presumedDead)
    guard !presumedDead.isEmpty else { return }
    let findings = try sessions.findings(of: presumedDead)
    group.drop(noticesOf: Set(zip(presumedDead, findings).filter { $1 != .dead }.map { $0.0.id }))
  }

  /// Decides the group on the newest state, without asking the registry of sessions.
  private func decide(
    _ group: inout Group, _ room: CommitRoom
  ) throws(LedgerError) -> EventBatch {
    let context = DecisionContext(session: session, role: role, now: clock.now(), room: room)
    var decision = replica.withState { Decision(over: $0, context: context) }
    reportLag(of: context.now, behind: decision.base.time)
    group.deliveries = []
    if group.hasCommands { try decision.requireOwnSession() }
    _ = try decision.run(TimeOutDuePromises())
    for (index, job) in group.jobs.enumerated() {
      guard
        index < group.firstCount || decision.batch.byteCount < EventBatch.largestGroupByteCount
      else {
        inbox.putBack(group.jobs[index...])
        group.jobs.removeSubrange(index...)
        break
      }
      group.deliveries.append(job.decide(&decision))
    }
    group.staged = decision.staged
    #if DEBUG
      if acknowledgesBeforeCommit { group.answerEarly() }
    #endif
    return decision.batch
  }

  /// Reports a clock that lies behind the newest event; it is used all the same.
  private func reportLag(of now: Timestamp, behind newest: Timestamp) {
    guard let lag = lagWatch.lagToReport(now: now, newestEvent: newest) else { return }
    logger.warning(
      "the clock lies behind the newest event: one of the clocks is wrong",
      metadata: ["seconds": "\(lag.components.seconds)", "newestEvent": "\(newest)"])
  }

  /// The commands of one commit and what became of them.
  private struct Group {
    var jobs: [Job]
    /// How many of them are about the session itself.
    private(set) var firstCount: Int
    /// Whether it has the commands of the inbox, not only those about the session.
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

    mutating func take(from inbox: Inbox, limit: Int) {
      jobs += inbox.take(limit: limit)
      isTaken = true
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

extension EventBatch {
  /// The bytes of events after which a group takes no more commands.
  package static let largestGroupByteCount = 256 << 10
}
