import LedgerSystem
import Logging
import Synchronization

extension LedgerEngine {
  func startListener() throws(LedgerError) {
    do throws(SystemError) {
      _ = try SystemThread.start(name: "ledger-listener") { self.runListener() }
    } catch {
      throw LedgerError(error, "The ledger's listening thread cannot be started.")
    }
  }

  /// The pause of the listener after a commit of its own process woke it: while the writer works, each of its
  /// commits catches up anyway.
  private static let ownCommitPause = Duration.milliseconds(2)

  /// The number of polls between checks for readers of dead processes: a tool that is killed while it reads
  /// leaves no session that could be found dead.
  private static let pollsBetweenReaderChecks = 60

  /// How long before its time the alarm rings. At least one poll falls into this time, so the runner is woken
  /// early enough and waits for the exact time itself.
  var alarmLead: Duration { setup.pollInterval * 2 }

  /// The listening thread: catches up when the doorbell rings, and at least once a poll interval.
  private func runListener() {
    var lastCheck = MonotonicClock.now
    var pollCount = 0
    while true {
      switch phase.current {
      case .closed: return
      case .frozen: _ = listenerWakeUp.wait(timeout: .seconds(3_600))
      case .open(let store):
        // Read before looking, so that a later change ends the wait immediately.
        let count = store.changeCount
        let isPoll = MonotonicClock.now - lastCheck >= setup.pollInterval
        do throws(LedgerError) {
          let hasNews = try catchUp(store, looksAtAll: isPoll)
          if !hasNews { replica.dropFolded() }
          if !hasNews, !isPoll { _ = listenerWakeUp.wait(timeout: Self.ownCommitPause) }
        } catch {
          noteEnd(error)
          if error.code != .closed {
            setup.logger.error("the ledger cannot be read", metadata: ["error": "\(error)"])
          }
        }
        if isPoll {
          endDeadSessions(store)
          settleAwaitedJoints(store)
          alarm.ring(at: now(store) + alarmLead)
          pollCount += 1
          if pollCount.isMultiple(of: Self.pollsBetweenReaderChecks) { store.reclaimFromTheDead() }
          lastCheck = MonotonicClock.now
        }
        store.waitForChange(since: count, timeout: timeUntilNextDeadline(store))
      }
    }
  }

  /// Makes the writer time out due promises, after the clock was moved.
  ///
  /// - Returns: Whether the session wants to be notified of the next move.
  func lookForDeadlines() -> Bool {
    switch phase.current {
    case .open(let store):
      _ = timeUntilNextDeadline(store)
      return true
    case .frozen: return true
    case .closed: return false
    }
  }

  /// Makes the writer time out due promises, and returns the maximum time to sleep.
  func timeUntilNextDeadline(_ store: any EventStore) -> Duration {
    // If the state cannot be read, the next look detects the reason.
    guard let next = (try? nextDeadline(store)) ?? nil else { return setup.pollInterval }
    let remaining = next - now(store)
    if remaining <= .zero {
      inbox.poke()
      return setup.pollInterval
    }
    return min(remaining, setup.pollInterval)
  }

  /// The time at which this session times out the next promise.
  private func nextDeadline(_ store: any EventStore) throws -> Timestamp? {
    try replica.look(with: store) { state in
      guard let next = try state.nextDeadline() else { return nil }
      guard store.isRemote, try state.promise(next.id)?.created.session != setup.session else {
        return next.deadline
      }
      return next.deadline + foreignDeadlineDelay
    }
  }

  // MARK: Joints

  /// Makes the writer settle awaited joints that their inputs decide, if the commits that settled the inputs did
  /// not.
  private func settleAwaitedJoints(_ store: any EventStore) {
    // If the state cannot be read, the next poll looks again.
    guard let joints = try? replica.decidedAwaitedJoints(with: store) else { return }
    for joint in joints { inbox.add(Job(LookAtPromise(id: joint), answer: { _ in })) }
  }

  // MARK: Dead sessions

  /// Records the end of sessions whose processes are gone, and releases the pages that these still pin.
  private func endDeadSessions(_ store: any EventStore) {
    let notices: [Job]
    do throws(LedgerError) {
      // Those of the snapshot were given back when the session opened.
      notices = try deathNotices(store) + leftWork(store, includesSnapshot: false)
    } catch {
      guard error.code != .closed else { return }
      return setup.logger.error(
        "the search for dead sessions failed", metadata: ["error": "\(error)"])
    }
    guard !notices.isEmpty else { return }
    store.reclaimFromTheDead()
    for notice in notices { inbox.add(notice) }
  }

  /// The commands that an opening session commits first: the ends of sessions whose processes are gone, as
  /// far as a bounded check finds them. Polls find the others.
  func leftoverNotices(_ store: any EventStore) throws(LedgerError) -> [Job] {
    try deathNotices(store, limit: SessionRound.maximumCount)
      + leftWork(store, includesSnapshot: true)
  }

  /// The command that gives back attempts of ended sessions, if there are any.
  private func leftWork(
    _ store: any EventStore, includesSnapshot: Bool
  ) throws(LedgerError) -> [Job] {
    let left = try LedgerError.mapping {
      try replica.lookAtCopy(with: store) { state in
        try state.leftWork(
          besides: setup.session, limit: SessionRound.maximumCount,
          includesSnapshot: includesSnapshot)
      }
    }
    return left.isEmpty ? [] : [Job(ReleaseLeftWork(left)) { _ in }]
  }

  /// Checks the sessions whose turn it is, and returns notices for those whose processes are gone.
  private func deathNotices(
    _ store: any EventStore, limit: Int? = nil
  ) throws(LedgerError) -> [Job] {
    let turn = try nextTurn(store, limit: limit)
    let findings = try setup.sessions.findings(of: turn.sessions)
    let dead = zip(turn.sessions, findings).filter { $1 == .dead }.map { $0.0 }
    sessionRound.withLock { $0.noteDead(dead.count) }
    // The process that recorded the end may have died before it removed the leftovers.
    setup.sessions.removeLeftovers(of: turn.ended)
    return dead.map { .deathNotice($0, setup.sessions) }
  }

  private func nextTurn(
    _ store: any EventStore, limit: Int?
  ) throws(LedgerError) -> SessionRound.Turn {
    // Taken before reading the state, which then knows all of them.
    var news = replica.takeOpenedSessions()
    var round = sessionRound.withLock { $0 }
    defer { sessionRound.withLock { $0 = round } }
    if news.missesOthers { round.reset() }
    return try LedgerError.mapping {
      try replica.lookAtCopy(with: store) { state in
        round.add(news.opened, in: state)
        news.opened = []
        return try round.next(in: state, limit: limit)
      }
    }
  }

  // MARK: Orphans

  /// Removes leftovers that no death notice removes: those of sessions whose processes were killed before
  /// their openings were recorded, or after their ends were recorded.
  ///
  /// The leftovers of a session that this build cannot read are kept, because other builds may understand
  /// them.
  ///
  /// - Parameter sessions: Sessions that had no process before this session's last commit, so everything that
  ///   they recorded is known here.
  func removeOrphans(among sessions: [SessionID], _ store: any EventStore) {
    guard !sessions.isEmpty else { return }
    let orphans = try? replica.lookAtCopy(with: store) { state in
      var state = state
      try state.require(Set(sessions.map(\.entityID)))
      return sessions.filter { id in
        guard state.blocked[id.entityID] == nil else { return false }
        return (try? state.session(id).map(\.isEnded) ?? true) ?? false
      }
    }
    setup.sessions.removeLeftovers(of: orphans ?? [])
  }
}
