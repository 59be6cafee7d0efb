import LedgerModel
import LedgerModelTestSupport
import LedgerOracle
import LedgerRuntime
import LedgerRuntimeTesting
import LedgerTestSupport

/// Processes that share a ledger in memory, interleaved by a seed on one thread.
///
/// Each has the state and the committer of a session's engine. The gate, the doorbell, the clocks and
/// the registry of sessions are simulated. Other processes get their turn between any two steps of a
/// commit, and a process may die at each of them. So equal seeds make equal runs, in any process.
package final class Simulation {
  /// What happened in a run.
  package struct Figures: Hashable, Sendable {
    package var commitCount = 0
    package var deathCount = 0
    package var stallCount = 0
    package var repeatedDecisionCount = 0
    package var lostBellCount = 0
    package var clockJumpCount = 0
    package var foldCount = 0
    package var removalCount = 0
    package var removedRecordCount = 0
    package var deletedEventCount = 0
    /// A digest of everything that was asked and answered, and of the bytes of the log.
    package var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    package var problem: String?
  }

  /// A deliberate bug, to prove that the simulation finds it.
  package enum Bug: Sendable, CaseIterable {
    /// A commit is acknowledged, and not appended.
    case losesCommits
    /// The gate lets a second writer in, which appends behind the first without deciding again.
    case appendsAfterMovedHead
    /// A process that is alive is found dead.
    case findsLivingDead
    /// A process reads without catching up.
    case readsStaleState
    /// A removal of records ignores what others have come to need since it was planned.
    case removesByAnOldPlan
    /// Events are deleted that the snapshot does not have yet.
    case deletesUnfoldedEvents
  }

  private static let stallTimeout = Duration.milliseconds(5)

  let store = InMemoryEventStore(ledgerID: LedgerID(entityID: .numbered(77)))
  private let sessions = SimulatedSessions()
  let bug: Bug?
  /// Whether one writer keeps all others out, or each finds at its end whether it was the first.
  let isGated: Bool
  private var generator: SeededGenerator
  private var commands: WalkGenerator
  private var oracle = Oracle(WalkNames.constants, .engine)
  private var processes: [VirtualProcess] = []
  private var sessionCount = 0
  private var gate: Int?
  private var depth = 0
  private var waited = Duration.zero
  private var folder = Folder()
  private var audit = LogAudit()
  /// The digest of the events that were audited.
  private var log = LogDigest.start
  /// All events, applied one after the other, without a snapshot and without deletions.
  private var replayed = LedgerState()
  /// The events that were acknowledged, with the position of the first.
  private var acknowledged: [(position: Int, facts: [Oracle.Fact])] = []
  private var figures = Figures()

  package init(seed: UInt64, bug: Bug? = nil) {
    generator = SeededGenerator(seed: seed)
    commands = WalkGenerator(seed: generator.next())
    isGated = generator.next() % 2 == 0
    self.bug = bug
  }

  /// Makes a number of steps, and checks everything at the end.
  package func run(stepCount: Int) -> Figures {
    do {
      for _ in 0..<stepCount where figures.problem == nil { try step() }
      if figures.problem == nil { figures.problem = try checkEnd() }
    } catch {
      report("The simulation fails: \(error)")
    }
    return figures
  }

  // MARK: Steps

  private func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  private func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }

  private func step() throws {
    let living = processes.filter(\.isAlive)
    guard living.count >= 2, living.count >= 4 || !chance(1, of: 10) || sessionCount > 100 else {
      return try startProcess()
    }
    let process = living[below(living.count)]
    switch below(100) {
    case 0..<66: try carryOut(process)
    case 66..<76: try wake(process)
    case 76..<84: try read(process)
    case 84..<90: try findDead(process)
    case 90..<92 where sessionCount < 100: kill(process)
    case 92..<94: moveClock(of: process)
    case 94..<96: try removeRecords(process)
    case 96..<97: try deleteEvents()
    default: try fold(process)
    }
  }

  private func startProcess() throws {
    sessionCount += 1
    let role: Oracle.Role = chance(3, of: 4) ? .app : .other
    let process = VirtualProcess(sessionCount, in: self, at: 1_000 + oracle.position * 20)
    process.session = LoneSession(
      .numbered(sessionCount), role.model, process.replica, clock: process.clock,
      sessions: sessions, stallTimeout: Self.stallTimeout,
      now: { [unowned self] in self.waited })
    sessions.set(sessionCount, .alive)
    processes.append(process)
    _ = try process.replica.catchUp(from: process.store)
    try commit(process, OracleStep(sessionCount, at: process.now, .open(role)))
  }

  private func carryOut(_ process: VirtualProcess) throws {
    process.now += below(120)
    let step = commands.next(oracle, process.number, at: process.now)
    switch step.command {
    // These are for the simulation to choose.
    case .open, .close, .fold, .removeRecords, .deleteEvents: return
    default: try commit(process, step)
    }
  }

  /// Learns of other sessions' commits, if the doorbell rang or it is time for a poll.
  private func wake(_ process: VirtualProcess) throws {
    guard process.isRung || chance(1, of: 4) else { return }
    process.isRung = false
    _ = try process.replica.catchUp(from: process.store)
  }

  /// Reads a promise as a session does, after a look at the head.
  private func read(_ process: VirtualProcess) throws {
    let id = below(max(1, oracle.promises.count)) + 1
    if bug != .readsStaleState { _ = try process.replica.catchUp(from: process.store) }
    let shown = try process.replica.look(with: process.store) { state in
      try state.promise(WalkNames.promise(id)).map { entity in try Oracle.Promise(entity) }
    }
    note("\(process.number) reads \(id)")
    guard shown != oracle.promises[id] else { return }
    report("Process \(process.number) reads an old state of promise \(id).")
  }

  /// Records the death of a session that the registry finds dead.
  private func findDead(_ process: VirtualProcess) throws {
    let open = try process.replica.look(with: process.store) { state in try state.openSessions() }
    let findings = bug == .findsLivingDead ? open.map { _ in .dead } : sessions.findings(of: open)
    for (session, finding) in zip(open, findings) where finding == .dead {
      let id = WalkNames.number(session.id)
      guard id != process.number else { continue }
      let step = OracleStep(process.number, at: process.now, .close(id, died: true))
      return try commit(process, step, presumedDead: bug == nil ? session : nil)
    }
  }

  private func kill(_ process: VirtualProcess) {
    guard process.isAlive else { return }
    process.isAlive = false
    sessions.set(process.number, .dead)
    figures.deathCount += 1
    note("\(process.number) dies")
  }

  private func moveClock(of process: VirtualProcess) {
    figures.clockJumpCount += 1
    process.now += chance(1, of: 2) ? below(3_000) : -below(2_000)
  }

  // MARK: Compaction

  private func fold(_ process: VirtualProcess) throws {
    figures.foldCount += 1
    let (start, head) = (try store.snapshotSummary().position.rawValue, try store.head().rawValue)
    let count = chance(1, of: 2) ? head - start : UInt64(below(Int(head - start) + 1))
    while try folder.step(
      of: store, through: Position(rawValue: start + count), limit: 50) != nil
    {}
    // Others learn of it when they look at the ledger again.
    for process in processes where process.isAlive && chance(2, of: 3) {
      _ = try process.replica.catchUp(from: process.store)
      try process.replica.rebase(from: process.store)
      process.replica.dropFolded(begins: true)
    }
    oracle.noteFold(through: Int(try store.snapshotSummary().position.rawValue))
  }

  /// Plans the removal of records, and carries it out after others have committed.
  private func removeRecords(_ process: VirtualProcess) throws {
    // Ends the deadlines that have passed, so that the plan is made on the newest state.
    try commit(process, OracleStep(process.number, at: process.now, .timeOutDue))
    guard process.isAlive else { return }
    _ = try process.replica.catchUp(from: process.store)
    let plan = try RetentionPlan(
      process.replica.copy(readingFrom: process.store), endedBy: .everything)
    let removal = oracle.removal
    guard plan.removedCount == removal.count else {
      return report("A plan removes \(plan.removedCount) records, not \(removal.count).")
    }
    guard let event = plan.events.first else { return }
    let others = processes.filter { $0.isAlive && $0 !== process }
    for _ in 0..<below(16) where !others.isEmpty { try carryOut(others[below(others.count)]) }
    let isNew = bug == .removesByAnOldPlan
    let command = PlannedRemoval(
      command: ApplyRetention(event, plannedAt: isNew ? try store.head() : plan.position))
    var particulars = Oracle.Particulars()
    particulars.removal = removal
    try commit(
      process, OracleStep(process.number, at: process.now, .removeRecords), particulars, command)
  }

  private func deleteEvents() throws {
    // They are seen for the last time.
    try auditEvents()
    try folder.markReadBack(of: store)
    if bug == .deletesUnfoldedEvents {
      var edit = SnapshotEdit(try store.snapshotSummary())
      edit.new.readBackThrough = try store.head()
      try store.apply(edit, patience: Patience(.seconds(5)))
    }
    let end = try store.head()
    while let step = try EventDeletion(store).step(through: end) {
      figures.deletedEventCount += step.eventCount
    }
  }

  // MARK: Commits

  private func commit(
    _ process: VirtualProcess, _ step: OracleStep, presumedDead: SessionEntity? = nil
  ) throws {
    let particulars = oracle.particulars(of: step.command)
    try commit(
      process, step, particulars, WalkedCommand(step.command, particulars),
      presumedDead: presumedDead)
  }

  private func commit(
    _ process: VirtualProcess, _ step: OracleStep, _ particulars: Oracle.Particulars,
    _ command: some Command<Oracle.Answer>, presumedDead: SessionEntity? = nil
  ) throws {
    guard process.isAlive, let session = process.session, !process.isBusy else { return }
    process.isBusy = true
    defer { process.isBusy = false }
    process.clock.set(.at(Int64(step.now)))
    process.pending = (step, particulars)
    process.expected = nil
    var answer: Oracle.Answer
    do {
      answer = try session.commit(
        command, to: process.store, isFirst: step.command.opensSession, presumedDead: presumedDead)
    } catch let error as LedgerError {
      switch error.code {
      case .closed: return kill(process)
      case .writerStalled:
        figures.stallCount += 1
        return note("\(process.number) gives up")
      default: answer = .refused(Oracle.Refusal(error))
      }
    }
    let hasEvents = process.expected != nil
    let expected = process.expected ?? oracle.run(step, particulars)
    if !hasEvents, !oracle.facts.isEmpty, bug == nil {
      return report(
        "The events of \(step) are missing: \(oracle.facts). It is answered \(answer).")
    }
    note("\(process.number) \(step.now) \(step.command): \(answer)")
    if case .close(let id, _) = step.command, hasEvents,
      processes.contains(where: { $0.number == id && $0.isAlive })
    {
      report("Process \(id) is alive, and process \(process.number) records its death.")
    }
    if answer != expected { report("\(step) is answered \(answer), not \(expected).") }
  }

  private func note(_ line: String) {
    for byte in line.utf8 {
      figures.digest = (figures.digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
  }

  private func report(_ problem: String) { figures.problem = figures.problem ?? problem }

  // MARK: What the stores ask

  /// Lets others go first, before a commit begins.
  func begin(_ process: VirtualProcess) throws(LedgerError) {
    interleave(process)
    guard process.isAlive else { throw .killed }
    guard isGated, bug != .appendsAfterMovedHead else { return }
    if gate != nil {
      waited += Self.stallTimeout + .milliseconds(1)
      throw LedgerError(.writerStalled, "Another process has the gate.")
    }
    gate = process.number
  }

  func end(_ process: VirtualProcess) {
    if gate == process.number { gate = nil }
  }

  /// The writer is suspended here, or dies, after it has decided.
  func beforeAppend(_ process: VirtualProcess) throws(LedgerError) {
    interleave(process)
    if chance(1, of: 60) { throw .killed }
  }

  /// The writer is suspended here, after it has decided that there are no events.
  func beforeConfirmation(of process: VirtualProcess) { interleave(process) }

  func noteRepeatedDecision() { figures.repeatedDecisionCount += 1 }

  /// The events are durable, and no one knows yet.
  func appended(_ process: VirtualProcess, _ facts: [Oracle.Fact]) throws(LedgerError) {
    guard let (step, particulars) = process.pending else { return }
    let start = oracle.position
    process.expected = oracle.run(step, particulars)
    if case .count(let count)? = process.expected, step.command == .removeRecords {
      figures.removalCount += 1
      figures.removedRecordCount += count
    }
    if facts != oracle.facts { report("The events of \(step) are \(facts), not \(oracle.facts).") }
    figures.commitCount += 1
    note("\(facts.count) events after \(start)")
    ring(besides: process)
    if chance(1, of: 60) { throw .killed }
    if !isGated { interleave(process) }
    acknowledged.append((start + 1, facts))
  }

  private func ring(besides writer: VirtualProcess) {
    for process in processes where process !== writer && process.isAlive {
      if chance(1, of: 5) {
        figures.lostBellCount += 1
      } else {
        process.isRung = true
      }
    }
  }

  /// Lets other processes commit in the middle of a step of one.
  private func interleave(_ process: VirtualProcess) {
    guard depth < 2, figures.problem == nil, chance(1, of: 5) else { return }
    depth += 1
    defer { depth -= 1 }
    let others = processes.filter { $0.isAlive && !$0.isBusy }
    guard !others.isEmpty else { return }
    do {
      for _ in 0...below(2) { try carryOut(others[below(others.count)]) }
    } catch {
      report("\(error)")
    }
  }

  // MARK: The end

  /// Checks the events that were appended since the last time.
  private func auditEvents() throws {
    _ = try store.read(after: audit.position, limit: .max) { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: audit.position) { (event) throws(LedgerError) in
        try replayed.apply(event)
        if let problem = audit.take(LedgerEvent(copying: event)) { report(problem) }
      }
    }
    while log.position < audit.position {
      log = try log.continued(over: store, through: audit.position)
    }
  }

  private func checkEnd() throws -> String? {
    let fresh = try LedgerState.tail(of: store)
    let digest = try fresh.digest()
    for process in processes where process.isAlive {
      _ = try process.replica.catchUp(from: process.store)
      guard try process.replica.copy(readingFrom: store).digest() == digest else {
        return "Process \(process.number) has another state than a replay."
      }
    }
    note("\(digest)")
    guard fresh.blocked.isEmpty else { return "An event did not fit: \(fresh.blocked)" }
    try auditEvents()
    note("\(log)")
    if let problem = figures.problem { return problem }
    guard try replayed.digest() == digest else {
      return "The snapshot and the events that are left make another state than all events."
    }
    for (position, facts) in acknowledged {
      guard audit.facts(from: position, count: facts.count) == facts else {
        return "Acknowledged events at position \(position) are lost."
      }
    }
    return nil
  }
}

/// A removal of records that was planned before.
private struct PlannedRemoval: Command {
  let command: ApplyRetention

  func decide(in decision: inout Decision) throws(LedgerError) -> Oracle.Answer {
    .count(try decision.run(command) ?? -1)
  }
}

extension LedgerError {
  fileprivate static var killed: LedgerError { LedgerError(.closed, "The process was killed.") }
}
