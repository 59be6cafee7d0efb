import LedgerSystem
import Logging

extension LedgerEngine {
  /// How long a freeze may take to write what waits, in all.
  private static let freezeBudget = Duration.milliseconds(250)

  /// The writer thread: owns the store's life, and commits.
  func runWriter(opened: @Sendable (Result<Void, any Error>) -> Void) {
    let committer = GroupCommitter(
      inbox: inbox, replica: replica, clock: setup.clock, session: setup.session,
      role: setup.opened.role, logger: setup.logger)
    #if DEBUG
      committer.acknowledgesBeforeCommit = setup.hooks.acknowledgesBeforeCommit
    #endif
    var lock: SessionLock?
    do throws(LedgerError) {
      lock = try openSession(committer)
      try startListener()
    } catch {
      lock?.end()
      end(error)
      return opened(.failure(error))
    }
    opened(.success(()))
    while true {
      switch inbox.waitForWork(acceptsCommands: phase.store != nil) {
      case .commands:
        if let store = phase.store {
          _ = committer.commitGroup(to: store, stallTimeout: setup.stallTimeout)
          compactIfNeeded()
        }
      case .request(.freeze(let answer)):
        answer(Result { () throws(LedgerError) in try freezeSession(committer, &lock) })
      case .request(.unfreeze(let answer)):
        let result = Result { () throws(LedgerError) in try unfreezeSession(committer, &lock) }
        if case .failure(let error) = result, error.code == .sessionEnded {
          end(error)
          return answer(result.mapError { $0 })
        }
        answer(result.mapError { $0 })
      case .request(.close(let answer)):
        closeSession(committer, lock)
        return answer()
      case .none:
        break
      }
    }
  }

  // MARK: Open

  private func openSession(_ committer: GroupCommitter) throws(LedgerError) -> SessionLock? {
    let store = try setup.openStore()
    var lock: SessionLock?
    do throws(LedgerError) {
      try catchUp(store, rebases: true)
      if let directory = setup.directory { lock = try SessionLock(directory, setup.session) }
      let dead = deadFiles()
      let refusal = Refusal()
      let opening = Job(OpenSession(setup.opened, newLedgerID: store.ledgerID)) { refusal.note($0) }
      try commit(committer, to: store, try leftoverNotices(store) + [opening])
      if let error = refusal.error { throw error }
      removeOrphans(among: dead, store)
    } catch {
      lock?.end()
      store.close()
      throw error
    }
    phase.change(to: .open(store))
    return lock
  }

  /// Commits commands about sessions.
  private func commit(
    _ committer: GroupCommitter, to store: any EventStore, _ jobs: [Job]
  ) throws(LedgerError) {
    let error = committer.commitGroup(
      to: store, first: jobs, takesCommands: false, stallTimeout: setup.stallTimeout)
    if let error { throw error }
  }

  // MARK: Freeze

  private func freezeSession(
    _ committer: GroupCommitter, _ lock: inout SessionLock?
  ) throws(LedgerError) -> Bool {
    guard let store = phase.store else { return true }
    let deadline = MonotonicClock.now + Self.freezeBudget
    var error: LedgerError?
    while inbox.hasCommands, error == nil, MonotonicClock.now < deadline {
      error = committer.commitGroup(
        to: store, yieldsToRequests: false, stallTimeout: setup.stallTimeout,
        budget: deadline - MonotonicClock.now)
    }
    if error == nil {
      let refusal = Refusal()
      error = committer.commitGroup(
        to: store, first: [Job(FreezeSession()) { refusal.note($0) }], takesCommands: false,
        yieldsToRequests: false, stallTimeout: Self.freezeBudget,
        budget: deadline - MonotonicClock.now)
      error = error ?? refusal.error
    }
    phase.change(to: .frozen)
    compactionLock.release()
    committer.pause()
    if !setup.waitsWhileFrozen {
      for job in inbox.take(limit: .max) { job.fail(LedgerError.frozen) }
    }
    store.interruptWaits()
    store.close()
    try lock?.freeze()
    lock = nil
    if let error {
      setup.logger.warning("the freeze was not recorded", metadata: ["error": "\(error)"])
    }
    return error == nil
  }

  private func unfreezeSession(
    _ committer: GroupCommitter, _ lock: inout SessionLock?
  ) throws(LedgerError) {
    guard phase.store == nil else { return }
    committer.pause()
    let store = try setup.openStore()
    var newLock: SessionLock?
    do throws(LedgerError) {
      try requireSameLedger(store)
      try catchUp(store, rebases: true)
      if let directory = setup.directory { newLock = try SessionLock(directory, setup.session) }
      let dead = deadFiles()
      let refusal = Refusal()
      let unfreezing = Job(UnfreezeSession(processID: ThisProcess.id)) { refusal.note($0) }
      try commit(committer, to: store, [unfreezing])
      if let error = refusal.error { throw error }
      removeOrphans(among: dead, store)
    } catch {
      store.close()
      if error.code == .sessionEnded {
        newLock?.end()
      } else {
        try? newLock?.freeze()
      }
      throw error
    }
    lock = newLock
    phase.change(to: .open(store))
    listenerWakeUp.signal()
    replica.deliver(looksAtAll: true)
  }

  /// Refuses another ledger that stands where this session's was.
  private func requireSameLedger(_ store: any EventStore) throws(LedgerError) {
    let known = replica.withState { $0.ledgerID }
    guard known == nil || known == store.ledgerID else {
      throw LedgerError(
        .corrupt,
        "The directory holds another ledger than before the freeze. Close this one and open it again."
      )
    }
  }

  // MARK: Close

  private func closeSession(_ committer: GroupCommitter, _ lock: SessionLock?) {
    if let store = phase.store {
      while inbox.hasCommands,
        committer.commitGroup(
          to: store, yieldsToRequests: false, stallTimeout: setup.stallTimeout) == nil
      {}
      let refusal = Refusal()
      let closing = Job(CloseSession(id: setup.session, reason: .closed)) { refusal.note($0) }
      let failure = committer.commitGroup(
        to: store, first: [closing], takesCommands: false, yieldsToRequests: false,
        stallTimeout: setup.stallTimeout)
      let error = failure ?? refusal.error
      end(.sessionClosed)
      store.interruptWaits()
      store.close()
      if let error {
        setup.logger.warning("the close was not recorded", metadata: ["error": "\(error)"])
      }
    } else {
      end(.sessionClosed)
      // Without its file it counts as dead, so that the next session to look records its end.
      if let directory = setup.directory { SessionLock.removeFiles(directory, [setup.session]) }
    }
    lock?.end()
  }

  /// Tells everybody who waits that it is over.
  private func end(_ error: LedgerError) {
    phase.change(to: .closed(error))
    compactionLock.release()
    listenerWakeUp.signal()
    let (jobs, requests) = inbox.end(error)
    for job in jobs { job.fail(error) }
    for request in requests {
      switch request {
      case .freeze(let answer): answer(.failure(error))
      case .unfreeze(let answer): answer(.failure(error))
      case .close(let answer): answer()
      }
    }
    replica.failAll(error)
  }
}
