package import LedgerModel
import LedgerRuntimeTesting

/// Everything that can be asked of a state of a random ledger.
package struct Answers: Equatable {
  package let position: Position
  package let time: Timestamp
  package let ledgerID: LedgerID?
  package let digest: StateDigest
  package let promises: [PromiseEntity?]
  package let handlers: [HandlerEntity?]
  package let sessions: [SessionEntity?]
  package let tombstones: [Bool]
  package let openPromises: [PromiseID]
  package let openHandlers: [HandlerID]
  package let openCalls: [CallID]
  package let openSessions: [SessionID]
  package let scoped: [HandlerID]
  package let running: [[HandlerID]]
  package let due: [[PromiseID]]
  package let next: PromiseID?
  package let work: [PromiseEntity?]
  package let openWork: [PromiseID]
  package let runningWork: [[PromiseID]]
  package let dueWork: [DueWork]
  package let lanes: Set<LedgerState.LaneHolder>
  package let queue: [LedgerState.QueuedWork]
  package let blocked: [EntityID: ReplayProblem]

  package init(_ state: LedgerState, _ writer: RandomLedger) throws {
    var state = state
    position = state.position
    time = state.time
    ledgerID = state.ledgerID
    digest = try state.digest()
    let numbers = 1...(writer.entityCount + 2)
    promises = try numbers.map { try state.promise(RandomLedger.promise($0)) }
    handlers = try numbers.map { try state.handler(RandomLedger.handler($0)) }
    sessions = try numbers.map { try state.session(.numbered($0)) }
    let ids =
      numbers.map { RandomLedger.promise($0).entityID }
      + numbers.map { RandomLedger.handler($0).entityID }
    tombstones = try ids.map { try state.isTombstone($0) }
    openPromises = try state.openPromises().map(\.id)
    openHandlers = try state.openHandlers().map(\.id)
    openCalls = try state.openCalls().map(\.call.id)
    openSessions = try state.openSessions().map(\.id)
    scoped = try state.activeHandlers(inScope: "room").map(\.id)
    running = try (1...4).map { try state.runningHandlers(of: .numbered($0)).map(\.id) }
    let now = state.time.nanosecondsSinceEpoch
    due = try [now - 500, now, now + 700, .max].flatMap { time in
      try [1, 3, .max].map { try state.due(at: .at(time), limit: $0) }
    }
    next = try state.nextDeadline()?.id
    work = try numbers.map { try state.promise(RandomLedger.work($0)) }
    openWork = try state.openWork().map(\.id)
    runningWork = try (1...4).map { try state.runningWork(of: .numbered($0)).map(\.id) }
    dueWork = try [now - 500, now, now + 700, .max].map { time in
      try state.dueWork(
        WorkSearch(now: .at(time), kinds: ["cook"], limit: .max, laneLimit: .max))
    }
    lanes = Set(try state.holders(ofLane: "lane"))
    queue = try state.queue(ofLane: "lane", before: Position(rawValue: .max), limit: .max).work
    blocked = state.blocked
  }
}

extension LedgerState {
  /// The state of a process that opens a store now.
  package static func tail(of store: any EventStore, through end: Position? = nil) throws
    -> LedgerState
  {
    var state = LedgerState(snapshot: try SnapshotReader(store))
    _ = try store.read(after: state.position, limit: .max) { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: state.position) { (event) throws(LedgerError) in
        if event.position <= end ?? event.position { try state.apply(event) }
      }
    }
    return state
  }
}

extension PureLedger {
  /// Makes all commits again in a store.
  package func write(to store: any EventStore) throws {
    var head = Position.start
    for commit in commits {
      head = try store.commit(
        commit.id, after: head, patience: Patience(.seconds(5)),
        catchUp: { (_) throws(LedgerError) in },
        decide: { (_, _) throws(LedgerError) in commit.batch })
    }
  }
}
