import LedgerSystem
import Logging

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
          let hasNews = try catchUp(store, looksAtAll: isPoll, rebases: isPoll)
          if !hasNews { replica.dropFolded() }
          if !hasNews, !isPoll { _ = listenerWakeUp.wait(timeout: Self.ownCommitPause) }
        } catch {
          if error.code != .closed {
            setup.logger.error("the ledger cannot be read", metadata: ["error": "\(error)"])
          }
        }
        if isPoll {
          endDeadSessions(store)
          pollCount += 1
          if pollCount.isMultiple(of: Self.pollsBetweenReaderChecks) { store.releaseDeadReaders() }
          lastCheck = MonotonicClock.now
        }
        store.waitForChange(since: count, timeout: timeUntilNextDeadline())
      }
    }
  }

  /// Has the writer time out what is due, and tells how long to sleep at most.
  private func timeUntilNextDeadline() -> Duration {
    // If the snapshot moved meanwhile the next look finds out.
    let found = try? replica.withState { (state) throws(LedgerError) in
      try state.nextDeadline()?.deadline
    }
    guard let next = found ?? nil else { return setup.pollInterval }
    let remaining = next - setup.clock.now()
    if remaining <= .zero {
      inbox.poke()
      return setup.pollInterval
    }
    return min(remaining, setup.pollInterval)
  }

  // MARK: Dead sessions

  /// Records the end of sessions whose processes are gone, and frees what these still pin.
  private func endDeadSessions(_ store: any EventStore) {
    let dead: [SessionID]
    do throws(LedgerError) {
      dead = try deadSessions(store)
    } catch {
      guard error.code != .closed else { return }
      return setup.logger.error(
        "ended sessions cannot be looked for", metadata: ["error": "\(error)"])
    }
    guard !dead.isEmpty else { return }
    store.releaseDeadReaders()
    guard let directory = setup.directory else { return }
    for id in dead { inbox.add(.deathNotice(id, directory)) }
  }

  /// The sessions that the log knows as alive and whose processes are gone.
  private func deadSessions(_ store: any EventStore) throws(LedgerError) -> [SessionID] {
    guard let directory = setup.directory else { return [] }
    return try otherSessions(store) { _ in true }
      .filter { SessionLock.probe(directory, $0) == .dead }
  }

  /// What an opening session records first: the end of sessions whose processes are gone, and, for an
  /// app, of frozen ones of its instance. These were killed while they held no lock that could tell.
  func leftoverNotices(_ store: any EventStore) throws(LedgerError) -> [Job] {
    guard let directory = setup.directory else { return [] }
    let opened = setup.opened
    let own = try otherSessions(store) { session in
      opened.role == .app && session.opened.role == .app
        && session.opened.instance == opened.instance
    }
    let frozen = own.filter { SessionLock.probe(directory, $0) == .frozen }
    return try deadSessions(store).map { .deathNotice($0, directory) }
      + frozen.map { .deathNotice($0, directory, mayBeFrozen: true) }
  }

  /// The sessions, other than this one, that the log does not know as ended.
  private func otherSessions(
    _ store: any EventStore, where isMeant: (SessionEntity) -> Bool
  ) throws(LedgerError) -> [SessionID] {
    try replica.lookingAtCopy(with: store) { (state) throws(LedgerError) in
      try state.openSessions().filter { $0.id != setup.session && isMeant($0) }.map(\.id)
    }
  }
}
