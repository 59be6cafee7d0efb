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

  /// How long the listener stays away after it was woken by a commit of its own process: while the
  /// writer works, each of its commits catches up anyway.
  private static let ownCommitPause = Duration.milliseconds(2)

  /// A tool that is killed while it reads leaves no session that could be found dead.
  private static let pollsBetweenReaderChecks = 60

  /// The listening thread: catches up when the doorbell rings, and at least once a poll interval.
  private func runListener() {
    var lastCheck = MonotonicClock.now
    var pollCount = 0
    while true {
      switch phase.current {
      case .closed: return
      case .frozen: _ = listenerWakeUp.wait(timeout: .seconds(3_600))
      case .open(let store):
        // Counted before looking: a change after that ends the wait at once.
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
          pollCount += 1
          if pollCount.isMultiple(of: Self.pollsBetweenReaderChecks) { store.reclaimFromTheDead() }
          lastCheck = MonotonicClock.now
        }
        store.waitForChange(since: count, timeout: timeUntilNextDeadline(store))
      }
    }
  }

  /// Has the writer time out what is due, after the clock was moved.
  ///
  /// - Returns: Whether the session is to be told of the next time.
  func lookForDeadlines() -> Bool {
    switch phase.current {
    case .open(let store):
      _ = timeUntilNextDeadline(store)
      return true
    case .frozen: return true
    case .closed: return false
    }
  }

  /// Has the writer time out what is due, and tells how long to sleep at most.
  private func timeUntilNextDeadline(_ store: any EventStore) -> Duration {
    // If it cannot be read the next look finds out.
    let found = try? replica.look(with: store) { state in try state.nextDeadline()?.deadline }
    guard let next = found ?? nil else { return setup.pollInterval }
    let remaining = next - now(store)
    if remaining <= .zero {
      inbox.poke()
      return setup.pollInterval
    }
    return min(remaining, setup.pollInterval)
  }

  // MARK: Dead sessions

  /// Records the end of sessions whose processes are gone, and frees what these still pin.
  private func endDeadSessions(_ store: any EventStore) {
    let notices: [Job]
    do throws(LedgerError) {
      notices = try deathNotices(store)
    } catch {
      guard error.code != .closed else { return }
      return setup.logger.error(
        "ended sessions cannot be looked for", metadata: ["error": "\(error)"])
    }
    guard !notices.isEmpty else { return }
    store.reclaimFromTheDead()
    for notice in notices { inbox.add(notice) }
  }

  /// What an opening session records first: the end of sessions whose processes are gone, as far as a
  /// bounded look finds them. Polls find the others.
  func leftoverNotices(_ store: any EventStore) throws(LedgerError) -> [Job] {
    try deathNotices(store, limit: SessionRound.maximumCount)
  }

  /// Looks at the sessions whose turn it is, and tells of those whose processes are gone.
  private func deathNotices(
    _ store: any EventStore, limit: Int? = nil
  ) throws(LedgerError) -> [Job] {
    let turn = try nextTurn(store, limit: limit)
    let findings = try setup.sessions.findings(of: turn.sessions)
    let dead = zip(turn.sessions, findings).filter { $1 == .dead }.map { $0.0 }
    sessionRound.withLock { $0.noteDead(dead.count) }
    // The process that recorded the end may have died before it removed what is left.
    setup.sessions.removeLeftovers(of: turn.ended)
    return dead.map { .deathNotice($0, setup.sessions) }
  }

  private func nextTurn(
    _ store: any EventStore, limit: Int?
  ) throws(LedgerError) -> SessionRound.Turn {
    // Taken before the look at the state, which then knows all of them.
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

  /// Removes what no death notice removes: the leftovers of sessions whose processes were killed
  /// before their openings were recorded, or after their ends were.
  ///
  /// A session that this build cannot read keeps them: others may tell more from them.
  ///
  /// - Parameter sessions: They had no process before this session's last commit. So what they
  ///   recorded is known here.
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
