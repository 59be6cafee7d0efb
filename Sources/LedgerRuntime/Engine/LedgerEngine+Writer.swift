import LedgerSystem
import Logging

extension LedgerEngine {
  /// The writer thread, which opens and closes the store, and commits.
  func runWriter(opened: @Sendable (Result<Void, any Error>) -> Void) {
    let committer = GroupCommitter(
      inbox: inbox, replica: replica, clock: setup.clock, session: setup.session,
      role: setup.opened.role, sessions: setup.sessions, logger: setup.logger)
    committer.maximumQueuedWorkCount = setup.maximumQueuedWorkCount
    #if DEBUG
      committer.acknowledgesBeforeCommit = setup.hooks.acknowledgesBeforeCommit
    #endif
    defer { inbox.tasks.leave() }
    var hold: (any SessionHold)?
    do throws(LedgerError) {
      hold = try openSession(committer)
      try startListener()
    } catch {
      // If only the listener could not be started, the session is open, with its store.
      if phase.store == nil { end(error) } else { endSession(error, hold) }
      return opened(.failure(error))
    }
    opened(.success(()))
    // The result of the newest freeze: whether it is recorded in the log.
    var freezing = Result<Bool, LedgerError>.success(true)
    while true {
      // Before the commit, which then has the commands that they submit.
      inbox.tasks.runReady()
      switch inbox.waitForWork(acceptsCommands: phase.store != nil) {
      case .commands:
        if let store = phase.store {
          let error = committer.commitGroup(to: store, stallTimeout: setup.stallTimeout)
          if let error, error.endsSession { return endSession(error, hold) }
          setup.committed?(self)
        }
      case .request(.freeze(let answer)):
        if let store = phase.store {
          freezing = Result { () throws(LedgerError) in
            try freezeSession(committer, store, &hold)
          }
        }
        answer(freezing.mapError { $0 })
      case .request(.unfreeze(let answer)):
        let result = Result { () throws(LedgerError) in try unfreezeSession(committer, &hold) }
        if case .failure(let error) = result, error.endsSession {
          end(error)
          return answer(result.mapError { $0 })
        }
        answer(result.mapError { $0 })
      case .request(.close(let answer)):
        closeSession(committer, hold)
        return answer()
      case .request(.end(let error)):
        return endSession(error, hold)
      case .tasks:
        break
      }
    }
  }

  // MARK: Open

  private func openSession(_ committer: GroupCommitter) throws(LedgerError) -> any SessionHold {
    let store = try setup.openStore()
    var hold: (any SessionHold)?
    do throws(LedgerError) {
      try catchUp(store)
      let begun = try setup.sessions.begin(setup.session)
      hold = begun
      let dead = setup.sessions.deadSessions()
      let refusal = Refusal()
      let opening = Job(OpenSession(setup.opened, newLedgerID: store.ledgerID)) { refusal.note($0) }
      try commit(committer, to: store, try leftoverNotices(store) + [opening])
      if let error = refusal.error { throw error }
      removeOrphans(among: dead, store)
      phase.change(to: .open(store))
      return begun
    } catch {
      hold?.end()
      store.close()
      throw error
    }
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
    _ committer: GroupCommitter, _ store: any EventStore, _ hold: inout (any SessionHold)?
  ) throws(LedgerError) -> Bool {
    let deadline = MonotonicClock.now + setup.freezeTimeout
    var error: LedgerError?
    // Even without any time, they are tried once.
    var isOver = false
    while inbox.hasCommands, error == nil, !isOver {
      error = committer.commitGroup(
        to: store, yieldsToRequests: false, stallTimeout: setup.stallTimeout,
        budget: deadline - MonotonicClock.now)
      isOver = MonotonicClock.now >= deadline
    }
    if error == nil {
      let refusal = Refusal()
      error = committer.commitGroup(
        to: store, first: [Job(FreezeSession()) { refusal.note($0) }], takesCommands: false,
        yieldsToRequests: false, stallTimeout: setup.freezeTimeout,
        budget: deadline - MonotonicClock.now)
      error = error ?? refusal.error
    }
    phase.change(to: .frozen, stopsTime: error == nil)
    compactionLock.release()
    committer.pause()
    if !setup.waitsWhileFrozen {
      for job in inbox.pause(.frozen) { job.fail(LedgerError.frozen) }
    }
    store.interruptWaits()
    store.close()
    if let error {
      setup.logger.warning("the freeze was not recorded", metadata: ["error": "\(error)"])
    }
    try hold?.freeze()
    hold = nil
    return error == nil
  }

  private func unfreezeSession(
    _ committer: GroupCommitter, _ hold: inout (any SessionHold)?
  ) throws(LedgerError) {
    guard phase.store == nil else { return }
    committer.pause()
    let store = try setup.openStore()
    var newHold: (any SessionHold)?
    do throws(LedgerError) {
      try requireSameLedger(store)
      try catchUp(store)
      newHold = try setup.sessions.begin(setup.session)
      let dead = setup.sessions.deadSessions()
      let refusal = Refusal()
      let unfreezing = Job(UnfreezeSession(processID: ThisProcess.id)) { refusal.note($0) }
      try commit(committer, to: store, [unfreezing])
      if let error = refusal.error { throw error }
      removeOrphans(among: dead, store)
    } catch {
      store.close()
      if error.endsSession {
        newHold?.end()
        setup.sessions.removeLeftovers(of: [setup.session])
      } else {
        try? newHold?.freeze()
      }
      throw error
    }
    hold = newHold
    inbox.resume()
    phase.change(to: .open(store))
    listenerWakeUp.signal()
    replica.deliver(from: store, looksAtAll: true)
  }

  /// Rejects a different ledger in the place of this session's ledger.
  private func requireSameLedger(_ store: any EventStore) throws(LedgerError) {
    guard let known = replica.withState({ $0.ledgerID }), known != store.ledgerID else { return }
    throw .historyChanged(from: known, to: store.ledgerID)
  }

  // MARK: Close

  private func closeSession(_ committer: GroupCommitter, _ hold: (any SessionHold)?) {
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
      // Without leftovers the session counts as dead, so the next session that checks records its end.
      setup.sessions.removeLeftovers(of: [setup.session])
    }
    hold?.end()
  }

  /// Ends the session, and fails all pending and future commands.
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
      case .end: break
      }
    }
    replica.failAll(error)
  }

  /// Ends a session that cannot continue, without recording its end.
  private func endSession(_ error: LedgerError, _ hold: (any SessionHold)?) {
    let store = phase.store
    end(error)
    store?.interruptWaits()
    store?.close()
    hold?.end()
    setup.sessions.removeLeftovers(of: [setup.session])
  }

  /// Ends the session if an error means that it cannot continue.
  func noteEnd(_ error: any Error) {
    guard let error = error as? LedgerError, error.endsSession else { return }
    _ = inbox.add(.end(error))
  }
}

extension LedgerError {
  /// Whether a session cannot continue after this error.
  fileprivate var endsSession: Bool { code == .sessionEnded || code == .historyChanged }
}
