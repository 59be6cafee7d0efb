/// Records the opening of the ledger by this process.
package struct OpenSession: Command {
  package let opened: SessionOpened
  /// The id for the ledger if this is its first session.
  package let newLedgerID: LedgerID

  package init(_ opened: SessionOpened, newLedgerID: LedgerID) {
    self.opened = opened
    self.newLedgerID = newLedgerID
  }

  package func decide(in decision: inout Decision) throws(LedgerError) {
    if decision.isEmptyLedger {
      try decision.append(
        LedgerCreated(formatVersion: LedgerMetadata.formatVersion), to: newLedgerID.entityID)
    }
    try decision.append(opened, to: decision.context.session.entityID)
  }
}

/// Records that this session releases the ledger's locks and files.
package struct FreezeSession: Command {
  package init() {}

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    needs.lists.insert(.running(session))
  }

  package func decide(in decision: inout Decision) throws(LedgerError) {
    try decision.requireOwnSession()
    guard try decision.session(decision.context.session)?.status != .frozen else { return }
    try decision.releaseCalls(of: decision.context.session, .frozen)
    try decision.releaseWork(of: decision.context.session, .frozen)
    try decision.append(SessionFrozen(), to: decision.context.session.entityID)
  }
}

/// Records that this session came back from its freeze.
package struct UnfreezeSession: Command {
  package let processID: Int32

  package init(processID: Int32) {
    self.processID = processID
  }

  package func decide(in decision: inout Decision) throws(LedgerError) {
    try decision.requireOwnSession()
    try decision.append(
      SessionUnfrozen(processID: processID), to: decision.context.session.entityID)
  }
}

/// Records the end of a session: this one, or another session that was found dead.
package struct CloseSession: Command {
  package let id: SessionID
  package let reason: SessionClosed.Reason

  package init(id: SessionID, reason: SessionClosed.Reason) {
    self.id = id
    self.reason = reason
  }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    needs.ids.insert(id.entityID)
    needs.lists.insert(.running(id))
  }

  package func decide(in decision: inout Decision) throws(LedgerError) {
    guard let session = try decision.session(id), !session.isEnded else { return }
    // Its runs must be released by a later version, which finds them through the session that has not ended.
    if id != decision.context.session, try decision.base.runsOpaqueHandlers(id) { return }
    try decision.releaseCalls(of: id, reason == .died ? .died : .closed)
    try decision.releaseWork(of: id, reason == .died ? .died : .closed)
    try decision.append(SessionClosed(reason: reason), to: id.entityID)
  }
}

extension Decision {
  /// Releases every run that a session has started and not ended, so that other sessions may take the runs
  /// over.
  ///
  /// A handler that may not be written to stays unchanged: it must not keep a session from ending.
  mutating func releaseCalls(
    of session: SessionID, _ reason: HandlerCallReleased.Reason
  ) throws(LedgerError) {
    for running in try runningCalls(of: session) {
      guard (try? requireWritable(running.entity.id.entityID)) != nil else { continue }
      try append(
        HandlerCallReleased(
          call: running.call.id, attempt: running.call.attempt, reason: reason),
        to: running.entity.id.entityID)
    }
  }

  /// Releases every attempt that a session has started and not ended, so that other sessions may run the work.
  mutating func releaseWork(
    of session: SessionID, _ reason: WorkReleased.Reason
  ) throws(LedgerError) {
    for work in try runningWork(of: session) {
      guard let attempt = work.progress?.attempt,
        (try? requireWritable(work.id.entityID)) != nil
      else { continue }
      try giveBack(work.id, attempt, reason)
    }
  }

  /// Gives back an attempt of a session that ends. If that parks the work, and its cancellation was requested, the
  /// work is cancelled, unless an operator must decide because it may have something to undo.
  mutating func giveBack(
    _ id: PromiseID, _ attempt: UInt32, _ reason: WorkReleased.Reason
  ) throws(LedgerError) {
    try append(WorkReleased(attempt: attempt, reason: reason), to: id.entityID)
    guard let progress = try requirePromise(id).progress, progress.parking != nil,
      let request = progress.cancelRequest, !progress.mayHaveSomethingToUndo
    else { return }
    let content = Array(request.reason.utf8)
    // From the reserve: the session must end in a full ledger, too.
    try settle(
      id, PromiseResolved(outcome: .cancelled, resolvedAt: now, content: content),
      cause: request.fact.position, usesReserve: true)
  }
}
