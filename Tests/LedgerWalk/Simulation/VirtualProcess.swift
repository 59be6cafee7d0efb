import LedgerModel
import LedgerModelTestSupport
import LedgerOracle
import LedgerRuntime
import LedgerRuntimeTesting
import Synchronization

/// A process of a simulation, with one session.
final class VirtualProcess {
  let number: Int
  let clock: SteppedClock
  let replica = Replica()
  let store: SimulatedStore
  var session: LoneSession?
  /// The reading of its clock.
  var now: Int
  var isAlive = true
  /// Whether it is in the middle of a commit.
  var isBusy = false
  /// Whether the doorbell rang since it last looked.
  var isRung = false
  /// The command that it commits.
  var pending: (step: OracleStep, particulars: Oracle.Particulars)?
  /// The answer that the events of the command lead to.
  var expected: Oracle.Answer?

  init(_ number: Int, in simulation: Simulation, at now: Int) {
    (self.number, self.now) = (number, now)
    clock = SteppedClock(.at(Int64(now)))
    store = SimulatedStore(simulation)
    store.process = self
  }
}

/// The store as one process has it: the simulation decides what happens between its steps.
// Unchecked because one thread drives the simulation.
final class SimulatedStore: ForwardingStore, @unchecked Sendable {
  let store: InMemoryEventStore
  private unowned let simulation: Simulation
  fileprivate(set) weak var process: VirtualProcess?

  init(_ simulation: Simulation) {
    self.simulation = simulation
    store = simulation.store
  }

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    if let process { try simulation.begin(process) }
    return try store.beginCommit(patience)
  }

  func endCommit() {
    if let process { simulation.end(process) }
  }

  func newerHead(than base: Position) throws(LedgerError) -> Position? {
    if let process { simulation.beforeConfirmation(of: process) }
    return try store.newerHead(than: base)
  }

  func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    guard let process else { return try store.append(batch, commit, after: base) }
    try simulation.beforeAppend(process)
    var base = base
    if simulation.bug == .losesCommits, commit.number.isMultiple(of: 7) {
      try simulation.appended(process, batch.facts)
      return .appended(through: base.advanced(by: batch.count))
    }
    if simulation.bug == .appendsAfterMovedHead { base = try store.head() }
    let outcome = try store.append(batch, commit, after: base)
    switch outcome {
    case .appended: try simulation.appended(process, batch.facts)
    case .headMoved: simulation.noteRepeatedDecision()
    }
    return outcome
  }
}

/// The registry of a simulation's sessions.
final class SimulatedSessions: SessionRegistry {
  private let contents = Mutex<[SessionID: SessionFinding]>([:])

  func set(_ number: Int, _ finding: SessionFinding) {
    contents.withLock { $0[.numbered(number)] = finding }
  }

  func begin(_ session: SessionID) throws(LedgerError) -> any SessionHold {
    UnwatchedSessions().begin(session)
  }

  func findings(of sessions: [SessionEntity]) -> [SessionFinding] {
    contents.withLock { known in sessions.map { known[$0.id] ?? .dead } }
  }

  func deadSessions() -> [SessionID] { [] }

  func removeLeftovers(of sessions: [SessionID]) {}
}
