package import LedgerModel

/// A ledger without a store: states and frames in memory, written by the pure reducer alone.
package struct PureLedger: Sendable {
  package struct StoredFrame: Sendable, Hashable {
    package var key: UInt64
    package var bytes: [UInt8]

    package init(key: UInt64, bytes: [UInt8]) {
      self.key = key
      self.bytes = bytes
    }
  }

  /// A commit and its decision.
  package struct StoredCommit: Sendable {
    package var batch: EventBatch
    package var id: CommitID
  }

  package private(set) var state = LedgerState()
  package private(set) var frames: [StoredFrame] = []
  package private(set) var commitCount: UInt64 = 0
  /// The commits, to be made again in a store.
  package private(set) var commits: [StoredCommit] = []
  /// The writer and the time.
  package var context: DecisionContext

  package init(
    session: SessionID = .numbered(1), role: SessionRole = .app,
    now: Timestamp = Timestamp(nanosecondsSinceEpoch: 1_000)
  ) {
    context = DecisionContext(session: session, role: role, now: now)
  }

  /// The start of a commit that may be kept or dropped.
  package func decision() -> Decision { Decision(over: state, context: context) }

  /// Makes a decision durable: packs its frames and merges its staged state.
  package mutating func keep(_ decision: Decision) {
    pack(decision.batch)
    state.merge(decision.staged)
  }

  /// Decides a command in a commit of its own.
  @discardableResult
  package mutating func commit<Answer>(
    _ command: some Command<Answer>
  ) throws(LedgerError) -> Answer {
    var decision = decision()
    let answer = try decision.run(command)
    keep(decision)
    return answer
  }

  /// Appends events that no command made, such as those of a newer build, and replays them.
  package mutating func append(_ events: [NewEvent]) throws(LedgerError) {
    var batch = EventBatch()
    for event in events { try batch.append(event) }
    let known = frames.count
    pack(batch)
    for frame in frames[known...] { try frame.replay(into: &state) }
  }

  /// The state that a process without memory makes of the frames.
  package func replayed() throws(LedgerError) -> LedgerState {
    var fresh = LedgerState()
    for frame in frames { try frame.replay(into: &fresh) }
    return fresh
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
  package func replay(into state: inout LedgerState) throws(LedgerError) {
    let view = try FrameView(checking: bytes.span, key: key)
    try view.forEachEvent { event throws(LedgerError) in try state.apply(event) }
  }

  /// Checks the frame and copies all its events.
  package func events() throws(LedgerError) -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    let view = try FrameView(checking: bytes.span, key: key)
    try view.forEachEvent { event throws(LedgerError) in
      events.append(LedgerEvent(copying: event))
    }
    return events
  }

  /// Checks the frame and reads its header.
  package func header() throws(LedgerError) -> FrameHeader {
    try FrameView(checking: bytes.span, key: key).header
  }
}

extension EventBatch {
  /// The packed frames, copied.
  package func frames(
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
  package struct Contents: Equatable {
    package let position: Position
    package let time: Timestamp
    package let ledgerID: LedgerID?
    package let promises: [PromiseEntity]
    package let sessions: [SessionID: SessionEntity]
    package let blocked: [EntityID: ReplayProblem]
    package let unconsumed: [PromiseID]
    package let deadlines: [PromiseID]
    package let handlers: [HandlerEntity]
    package let openHandlers: [HandlerID]
    package let runningHandlers: Set<HandlerID>
    package let handlersByScope: [String: [HandlerID]]
  }

  package var contents: Contents {
    // Both in the order of their insertion.
    let promises = overlaid.compactMap {
      if case .promise(let promise) = $0 { promise } else { nil }
    }
    let handlers = overlaid.compactMap {
      if case .handler(let handler) = $0 { handler } else { nil }
    }
    return Contents(
      position: position, time: time, ledgerID: ledgerID, promises: promises, sessions: sessions,
      blocked: blocked, unconsumed: self.promises.open.map(\.id),
      deadlines: (try? due(at: Timestamp(nanosecondsSinceEpoch: .max), limit: .max)) ?? [],
      handlers: handlers, openHandlers: self.handlers.open.map(\.id),
      runningHandlers: self.handlers.runningIDs,
      handlersByScope: Dictionary(
        uniqueKeysWithValues: Set(handlers.flatMap(\.scopes)).map { scope in
          (scope, self.handlers.active(inScope: scope).map(\.id))
        }))
  }
}
