@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A ledger without a store: states and frames in memory, written by the pure reducer alone.
struct PureLedger: Sendable {
  struct StoredFrame: Sendable, Hashable {
    var key: UInt64
    var bytes: [UInt8]
  }

  /// A commit and its decision.
  struct StoredCommit: Sendable {
    var batch: EventBatch
    var id: CommitID
  }

  private(set) var state = LedgerState()
  private(set) var frames: [StoredFrame] = []
  private(set) var commitCount: UInt64 = 0
  /// The commits, to be made again in a store.
  private(set) var commits: [StoredCommit] = []
  /// The writer and the time.
  var context: DecisionContext

  init(
    session: SessionID = .numbered(1), role: SessionRole = .app,
    now: Timestamp = Timestamp(nanosecondsSinceEpoch: 1_000)
  ) {
    context = DecisionContext(session: session, role: role, now: now)
  }

  /// The start of a commit that may be kept or dropped.
  func decision() -> Decision { Decision(over: state, context: context) }

  /// Makes a decision durable: packs its frames and merges its staged state.
  mutating func keep(_ decision: Decision) {
    pack(decision.batch)
    state.merge(decision.staged)
  }

  /// Decides a command in a commit of its own.
  @discardableResult
  mutating func commit<Answer>(
    _ command: some Command<Answer>
  ) throws(LedgerError) -> Answer {
    var decision = decision()
    let answer = try decision.run(command)
    keep(decision)
    return answer
  }

  /// Appends events that no command made, such as those of a newer build, and replays them.
  mutating func append(_ events: [NewEvent]) throws(LedgerError) {
    var batch = EventBatch()
    for event in events { try batch.append(event) }
    let known = frames.count
    pack(batch)
    for frame in frames[known...] { try frame.replay(into: &state) }
  }

  /// The state that a process without memory makes of the frames.
  func replayed() throws(LedgerError) -> LedgerState {
    var fresh = LedgerState()
    for frame in frames { try frame.replay(into: &fresh) }
    return fresh
  }

  /// The state of a process that replays up to a frame, and continues from there later.
  func replayed(stoppingAt cut: Int) throws(LedgerError) -> LedgerState {
    var state = try LedgerState.replaying(frames[..<cut])
    for frame in frames[cut...] { try frame.replay(into: &state) }
    return state
  }

  private mutating func pack(_ batch: EventBatch) {
    guard !batch.isEmpty else { return }
    commitCount += 1
    let commit = CommitID(session: context.session, number: commitCount)
    frames += batch.frames(
      from: state.position.advanced(by: 1), number: UInt32(frames.count + 1), commit: commit)
    commits.append(StoredCommit(batch: batch, id: commit))
  }
}

extension PureLedger.StoredFrame {
  /// Checks the frame and applies all its events.
  func replay(into state: inout LedgerState) throws(LedgerError) {
    let view = try FrameView(checking: bytes.span, key: key)
    try view.forEachEvent { event throws(LedgerError) in try state.apply(event) }
  }

  /// Checks the frame and copies all its events.
  func events() throws(LedgerError) -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    let view = try FrameView(checking: bytes.span, key: key)
    try view.forEachEvent { event throws(LedgerError) in
      events.append(LedgerEvent(copying: event))
    }
    return events
  }

  /// Checks the frame and reads its header.
  func header() throws(LedgerError) -> FrameHeader {
    try FrameView(checking: bytes.span, key: key).header
  }
}

extension EventBatch {
  /// The packed frames, copied.
  func frames(
    from position: Position, number: UInt32 = 1, commit: CommitID
  ) -> [PureLedger.StoredFrame] {
    var frames: [PureLedger.StoredFrame] = []
    packFrames(from: position, number: number, commit: commit) { key, frame in
      var copy: [UInt8] = []
      copy.reserveCapacity(frame.count)
      for index in frame.indices { copy.append(frame[index]) }
      frames.append(.init(key: key, bytes: copy))
    }
    return frames
  }
}

extension LedgerState {
  /// Everything that two states must have in common to be the same.
  struct Contents: Equatable {
    let position: Position
    let time: Timestamp
    let ledgerID: LedgerID?
    let promises: [PromiseEntity]
    let sessions: [SessionID: SessionEntity]
    let blocked: [EntityID: ReplayProblem]
    let unconsumed: [PromiseID]
    let deadlines: [PromiseID]
    let handlers: [HandlerEntity]
    let openHandlers: [HandlerID]
    let runningHandlers: Set<HandlerID>
    let handlersByScope: [String: [HandlerID]]
  }

  var contents: Contents {
    Contents(
      position: position, time: time, ledgerID: ledgerID, promises: promises.all,
      sessions: sessions,
      blocked: blocked, unconsumed: promises.open.map(\.id),
      deadlines: (try? due(at: Timestamp(nanosecondsSinceEpoch: .max), limit: .max)) ?? [],
      handlers: handlers.all, openHandlers: handlers.open.map(\.id),
      runningHandlers: handlers.runningIDs,
      handlersByScope: Dictionary(
        uniqueKeysWithValues: Set(handlers.all.flatMap(\.scopes)).map { scope in
          (scope, handlers.active(inScope: scope).map(\.id))
        }))
  }
}
