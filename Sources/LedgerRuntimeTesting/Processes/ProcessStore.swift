import LedgerModel

/// A store as one process of a test uses it, which can be suspended and killed, and whose operations can go
/// wrong.
final class ProcessStore: ForwardingEventStore {
  let base: any EventStore
  private let gate: ProcessGate
  private let crash: CrashSwitch
  private let faults: FaultInjection

  init(
    _ base: any EventStore, _ gate: ProcessGate, _ crash: CrashSwitch, _ faults: FaultInjection
  ) {
    self.base = base
    self.gate = gate
    self.crash = crash
    self.faults = faults
  }

  // MARK: Reading

  func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try requireAlive()
    return try body(base)
  }

  func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try requireAlive()
    return try base.withView(body)
  }

  func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    try requireAlive()
    return try faults.perform(.read, by: gate) { () throws(LedgerError) in
      try base.view(request)
    }
  }

  private func requireAlive() throws(LedgerError) {
    try gate.requireAlive()
    try crash.requireAlive()
  }

  // MARK: Writing

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    try gate.pass(.writer)
    try crash.requireAlive()
    return try faults.perform(.beginCommit, by: gate) { () throws(LedgerError) in
      try base.beginCommit(patience)
    }
  }

  func append(
    _ batch: EventBatch, _ commit: CommitID, after position: Position
  ) throws(LedgerError) -> AppendOutcome {
    try requireAlive()
    return try crash.append { () throws(LedgerError) in
      try faults.perform(.append, by: gate) { () throws(LedgerError) in
        try base.append(batch, commit, after: position)
      }
    }
  }

  func newerHead(than position: Position) throws(LedgerError) -> Position? {
    try requireAlive()
    return try base.newerHead(than: position)
  }

  func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    try gate.pass(.compactor)
    try crash.requireAlive()
    return try faults.perform(.changeSnapshot, by: gate) { () throws(LedgerError) in
      try base.changeSnapshot(changes, from: old, to: new, patience: patience)
    }
  }

  // MARK: Waiting

  func waitForChange(since count: UInt32, timeout: Duration) {
    base.waitForChange(since: count, timeout: timeout)
    // A killed process learns of its end by its next look.
    try? gate.pass(.listener)
  }

  func reclaimFromTheDead() -> Int { base.reclaimFromTheDead() }
}
