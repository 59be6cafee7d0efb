package import LedgerModel
import LedgerModelTestSupport
package import LedgerOracle
import LedgerRuntime
import LedgerRuntimeTesting

/// A ledger in a store, on which the sessions' own committers work, without their threads.
package struct StoreSubject: WalkSubject {
  /// What happens between the commands.
  package enum Form: Sendable {
    /// One view of the store has all sessions.
    case oneProcess
    /// Two views of the store take turns, each with its sessions, as two processes would.
    case twoProcesses
    /// The store and all states are closed and opened again before each command.
    case reopened
    /// All events are folded into the snapshot after each command.
    case folded
  }

  package static let mode = Oracle.Mode.engine

  package var foldsAlways: Bool { form == .folded }
  private let form: Form
  private let open: () throws -> any EventStore
  private var stores: [any EventStore] = []
  private var replicas: [Replica] = []
  private var sessions: [Int: LoneSession] = [:]
  private let clock = SteppedClock(.at(0))
  private var folder = Folder()

  /// - Parameter open: Opens the store; it has the same ledger each time.
  package init(_ form: Form, _ open: @escaping () throws -> any EventStore) throws {
    (self.form, self.open) = (form, open)
    try openAll()
  }

  private mutating func openAll() throws {
    for _ in 0..<(form == .twoProcesses ? 2 : 1) {
      stores.append(try open())
      replicas.append(Replica())
    }
  }

  /// The number of the view that a session has.
  private func view(_ session: Int) -> Int { session % stores.count }

  // MARK: Commands

  package mutating func run(
    _ step: OracleStep, _ oracle: Oracle
  ) throws -> (answer: Oracle.Answer, facts: [Oracle.Fact]) {
    clock.set(.at(Int64(step.now)))
    if form == .reopened { try reopen(oracle) }
    let start = Position(rawValue: UInt64(oracle.position))
    let answer = try carryOut(step, oracle)
    var facts: [Oracle.Fact] = []
    _ = try stores[view(step.session)].read(after: start, limit: .max) {
      (frame) throws(LedgerError) in
      try frame.forEachEvent(after: start) { facts.append(Oracle.Fact($0.kind, $0.subject)) }
    }
    if form == .folded { try fold() }
    return (answer, facts)
  }

  private mutating func reopen(_ oracle: Oracle) throws {
    for store in stores { store.close() }
    (stores, replicas, sessions) = ([], [], [:])
    try openAll()
    for (id, session) in oracle.sessions { add(id, session.role) }
  }

  private mutating func add(_ id: Int, _ role: Oracle.Role) {
    sessions[id] = LoneSession(
      .numbered(id), role.model, replicas[view(id)], clock: clock)
  }

  private mutating func carryOut(_ step: OracleStep, _ oracle: Oracle) throws -> Oracle.Answer {
    switch step.command {
    case .open(let role): add(step.session, role)
    case .fold:
      try fold()
      return .done
    case .deleteEvents:
      try deleteEvents()
      return .done
    default: break
    }
    guard let session = sessions[step.session] else { return .refused(.sessionEnded) }
    let store = stores[view(step.session)]
    do {
      if step.command == .removeRecords { return try removeRecords(session, store) }
      return try session.commit(
        WalkedCommand(step.command, oracle.particulars(of: step.command)), to: store,
        isFirst: step.command.opensSession)
    } catch let error as LedgerError {
      return .refused(Oracle.Refusal(error))
    }
  }

  // MARK: The snapshot

  private mutating func fold() throws {
    let end = try stores[0].head()
    while try folder.step(of: stores[0], through: end, limit: 1_000) != nil {}
    // Then it is known what is in memory.
    for (store, replica) in zip(stores, replicas) {
      _ = try replica.catchUp(from: store)
      try replica.rebase(from: store)
      replica.dropFolded(begins: true)
    }
  }

  private mutating func deleteEvents() throws {
    let store = stores[0]
    try folder.markReadBack(of: store)
    let end = try store.snapshotSummary().position
    while try EventDeletion(store).step(through: end) != nil {}
  }

  private func removeRecords(
    _ session: LoneSession, _ store: any EventStore
  ) throws -> Oracle.Answer {
    // Ends the deadlines that have passed, so that the plan is made on the newest state.
    _ = try session.commit(TimeOutDuePromises(), to: store)
    let plan = try RetentionPlan(
      session.replica.copy(readingFrom: store), endedBy: .everything)
    var count = 0
    for event in plan.events {
      count += try session.commit(ApplyRetention(event, plannedAt: plan.position), to: store) ?? -1
    }
    return .count(count)
  }

  // MARK: Looking

  package mutating func look<R: Sendable>(_ body: (LedgerState) throws -> R) throws -> R {
    _ = try replicas[0].catchUp(from: stores[0])
    return try body(replicas[0].copy(readingFrom: stores[0]))
  }

  package mutating func end() throws -> String? {
    var digests: Set<StateDigest> = []
    for (store, replica) in zip(stores, replicas) {
      _ = try replica.catchUp(from: store)
      digests.insert(try replica.copy(readingFrom: store).digest())
      digests.insert(try LedgerState.tail(of: store).digest())
    }
    try fold()
    digests.insert(try stores[0].snapshotSummary().stateDigest)
    for store in stores { store.close() }
    return digests.count == 1 ? nil : "The digests of the states differ: \(digests)"
  }
}
