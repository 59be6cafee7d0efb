import LedgerModel

/// A registry of sessions as one process of a test uses it: it notes when the session of the process has ended.
struct ProcessSessions: SessionRegistry {
  private let base: any SessionRegistry
  private let gate: ProcessGate

  init(_ base: any SessionRegistry, _ gate: ProcessGate) {
    self.base = base
    self.gate = gate
  }

  func begin(_ session: SessionID) throws(LedgerError) -> any SessionHold {
    gate.noteBegin(of: session)
    return ProcessHold(try base.begin(session), gate)
  }

  func findings(of sessions: [SessionEntity]) throws(LedgerError) -> [SessionFinding] {
    try base.findings(of: sessions)
  }

  func deadSessions() -> [SessionID] { base.deadSessions() }

  func removeLeftovers(of sessions: [SessionID]) {
    base.removeLeftovers(of: sessions)
    // A frozen session has no hold, and ends with this.
    gate.noteRemoval(of: sessions)
  }
}

private final class ProcessHold: SessionHold {
  private let base: any SessionHold
  private let gate: ProcessGate

  init(_ base: any SessionHold, _ gate: ProcessGate) {
    self.base = base
    self.gate = gate
  }

  func freeze() throws(LedgerError) {
    defer { gate.noteRest() }
    try base.freeze()
  }

  func end() {
    base.end()
    gate.noteEnd()
    gate.noteRest()
  }
}
