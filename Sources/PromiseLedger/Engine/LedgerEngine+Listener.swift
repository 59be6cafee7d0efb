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

  /// The listening thread: catches up when the doorbell rings, and at least once a poll interval.
  private func runListener() {
    var lastCheck = MonotonicClock.now
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
          if !hasNews, !isPoll { _ = listenerWakeUp.wait(timeout: Self.ownCommitPause) }
        } catch {
          if error.code != .closed {
            setup.logger.error("the ledger cannot be read", metadata: ["error": "\(error)"])
          }
        }
        if isPoll {
          endDeadSessions(store)
          lastCheck = MonotonicClock.now
        }
        store.waitForChange(since: count, timeout: timeUntilNextDeadline())
      }
    }
  }

  /// Has the writer time out what is due, and tells how long to sleep at most.
  private func timeUntilNextDeadline() -> Duration {
    guard let next = replica.withState({ $0.nextDeadline()?.deadline }) else {
      return setup.pollInterval
    }
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
    let dead = deadSessions()
    guard !dead.isEmpty else { return }
    store.releaseDeadReaders()
    for id in dead { submitDetached(CloseSession(id: id, reason: .died)) }
  }

  /// The sessions, other than this one, that the log knows as alive and that are not.
  func deadSessions() -> [SessionID] {
    guard let directory = setup.directory else { return [] }
    let own = setup.session
    let alive = replica.withState { state in
      state.sessions.values.filter { !$0.isEnded && $0.id != own }.map(\.id).sorted()
    }
    return alive.filter { SessionLock.isDead(directory, $0) }
  }
}
