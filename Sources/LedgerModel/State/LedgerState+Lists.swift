// MARK: - Lists

extension LedgerState {
  /// The promises that are neither consumed nor abandoned, without those that code or other promises
  /// settle, in the order of their creation.
  ///
  /// - Complexity: O(n log n) in the number of all open promises.
  package func openPromises() throws(LedgerError) -> [PromiseEntity] {
    Self.inOrder(promises.open.filter { !$0.isComputed } + (try promisesBelow(.promises)))
  }

  /// The handlers that can still be called, or have an unfinished call, in the order of their creation.
  ///
  /// - Complexity: O(n log n) in their number.
  package func openHandlers() throws(LedgerError) -> [HandlerEntity] {
    Self.inOrder(handlers.open + (try handlersBelow(.handlers)))
  }

  /// The handlers with a scope that can be invalidated, in the order of their creation.
  ///
  /// - Complexity: O(n log n) in their number.
  package func activeHandlers(inScope scope: String) throws(LedgerError) -> [HandlerEntity] {
    Self.inOrder(handlers.active(inScope: scope) + (try handlersBelow(.scope(scope))))
  }

  /// The handlers of which a session is running a call, in the order of their creation.
  ///
  /// - Complexity: O(n log n) in the number of handlers that are being run.
  package func runningHandlers(of session: SessionID) throws(LedgerError) -> [HandlerEntity] {
    let running = handlers.runningIDs.compactMap { handlers[$0] }.filter { handler in
      handler.openCalls.values.contains { $0.runningSession == session }
    }
    return Self.inOrder(running + (try handlersBelow(.running(session))))
  }

  /// Whether a session is running calls of handlers that only a later version can read.
  func runsOpaqueHandlers(_ session: SessionID) throws(LedgerError) -> Bool {
    guard snapshot.summary.counts.hasOpaque else { return false }
    return try entitiesBelow(.running(session)).contains { $0.kind == nil }
  }

  /// The unfinished calls, running or released, in the order in which they first started.
  ///
  /// - Complexity: O(n log n) in the number of open handlers.
  package func openCalls() throws(LedgerError) -> [StartedCall] {
    try openHandlers().flatMap { entity in
      entity.openCalls.values.map { StartedCall(entity: entity, call: $0) }
    }
    .sorted { $0.call.firstStart.position < $1.call.firstStart.position }
  }

  /// The sessions that have not ended, in the order of their ids.
  ///
  /// - Complexity: O(n log n) in their number and that of the sessions since the snapshot.
  package func openSessions() throws(LedgerError) -> [SessionEntity] {
    let below = try entitiesBelow(.sessions).compactMap(\.session)
    return (sessions.values.filter { !$0.isEnded } + below).sorted { $0.id < $1.id }
  }

  static func inOrder<Entity: TabledEntity>(_ entities: [Entity]) -> [Entity] {
    entities.sorted { $0.firstPosition < $1.firstPosition }
  }

  func promisesBelow(_ list: OpenList) throws(LedgerError) -> [PromiseEntity] {
    try entitiesBelow(list).compactMap(\.promise)
  }

  private func handlersBelow(_ list: OpenList) throws(LedgerError) -> [HandlerEntity] {
    try entitiesBelow(list).compactMap(\.handler)
  }

  /// The entities of a list in the snapshot that the overlay does not have.
  func entitiesBelow(_ list: OpenList) throws(LedgerError) -> [LedgerEntity] {
    var entries: [OpenEntry] = []
    try snapshot.forEachEntry(of: list) { (entry) throws(LedgerError) in
      if !isOverlaid(entry.id) { entries.append(entry) }
      return true
    }
    return try snapshot.entities(listedBy: entries)
  }

  /// Passes the promises of a list in the snapshot that the overlay does not have to `body`, in slices.
  func forEachPromiseBelow(
    _ list: OpenList, _ body: (PromiseEntity) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var entries: [OpenEntry] = []
    func passSlice() throws(LedgerError) {
      for entity in try snapshot.entities(listedBy: entries) {
        if let promise = entity.promise { try body(promise) }
      }
      entries = []
    }
    try snapshot.forEachEntry(of: list) { (entry) throws(LedgerError) in
      if !isOverlaid(entry.id) { entries.append(entry) }
      if entries.count == SnapshotReader.sliceCount { try passSlice() }
      return true
    }
    try passSlice()
  }

  // MARK: Deadlines

  /// The number of deadlines in the first read.
  private static let firstSliceCount = 16

  /// The earliest deadline of a pending promise that may be written to.
  ///
  /// Forgets the deadlines before it, which are never looked at again.
  package mutating func nextDeadline() throws(LedgerError) -> (
    deadline: Timestamp, id: PromiseID
  )? {
    while let first = deadlines.first, !canTimeOut(first) { deadlines.removeFirst() }
    let below = try nextDeadlineBelow()
    guard let first = deadlines.first else { return below }
    if let below, (below.deadline, below.id) < (first.deadline, first.id) { return below }
    return first
  }

  /// The earliest deadline in the snapshot of a promise that the overlay does not have.
  private mutating func nextDeadlineBelow() throws(LedgerError) -> (
    deadline: Timestamp, id: PromiseID
  )? {
    guard !snapshot.isEmpty else { return nil }
    var passed = passedDeadline
    defer { passedDeadline = passed }
    var next: (deadline: Timestamp, id: PromiseID)?
    var batch = DeadlineBatch(self)
    func takeBatch() throws(LedgerError) {
      // An overlaid promise has its deadline in memory, so its entry need not be looked at again.
      for (entry, isMoot) in try batch.take(self) where next == nil {
        if isMoot {
          passed = entry.key
        } else {
          next = (entry.deadline, PromiseID(entityID: entry.id))
        }
      }
    }
    try snapshot.forEachEntry(
      of: .deadlines, afterKey: passed, firstSliceCount: Self.firstSliceCount
    ) { (entry) throws(LedgerError) in
      if batch.add(entry) { try takeBatch() }
      return next == nil
    }
    try takeBatch()
    return next
  }

  /// Up to `limit` pending promises whose deadline is at or before `now`, the earliest first.
  ///
  /// Promises that may not be written to are left out, so that they never hold up others.
  package func due(at now: Timestamp, limit: Int) throws(LedgerError) -> [PromiseID] {
    guard !snapshot.isEmpty || deadlines.first.map({ $0.deadline <= now }) ?? false else {
      return []
    }
    var due: [(deadline: Timestamp, id: PromiseID)] = []
    var batch = DeadlineBatch(self)
    func takeBatch() throws(LedgerError) {
      for (entry, isMoot) in try batch.take(self) where !isMoot && due.count < limit {
        due.append((entry.deadline, PromiseID(entityID: entry.id)))
      }
    }
    try snapshot.forEachEntry(
      of: .deadlines, afterKey: passedDeadline, firstSliceCount: Self.firstSliceCount
    ) { (entry) throws(LedgerError) in
      guard entry.deadline <= now, due.count < limit else { return false }
      if batch.add(entry) { try takeBatch() }
      return true
    }
    try takeBatch()
    var queue = deadlines
    var count = 0
    while count < limit, let first = queue.first, first.deadline <= now {
      // Work that was dropped from memory and changed again is there twice.
      if canTimeOut(first), due.last.map({ $0 != first }) ?? true {
        due.append(first)
        count += 1
      }
      queue.removeFirst()
    }
    return due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }.prefix(limit).map(\.id)
  }

  /// Whether a promise in the overlay can still time out at the given deadline.
  func canTimeOut(_ entry: (deadline: Timestamp, id: PromiseID)) -> Bool {
    guard let promise = promises[entry.id] else { return false }
    return promise.status == .pending && promise.deadline == entry.deadline
      && blocked[entry.id.entityID] == nil
  }
}

/// Entries of the snapshot's deadlines that are examined together: if there are records of later versions,
/// each entry requires a look-up.
private struct DeadlineBatch {
  private var entries: [OpenEntry] = []
  private var limit: Int

  init(_ state: LedgerState) {
    limit = state.snapshot.summary.counts.hasOpaque ? 16 : 1
  }

  /// - Returns: Whether the batch is full.
  mutating func add(_ entry: OpenEntry) -> Bool {
    entries.append(entry)
    return entries.count >= limit
  }

  /// Takes the entries out. An entry is moot if it can no longer time out its promise, because the overlay
  /// contains the promise or the promise may not be written to.
  mutating func take(
    _ state: LedgerState
  ) throws(LedgerError) -> [(entry: OpenEntry, isMoot: Bool)] {
    guard !entries.isEmpty else { return [] }
    var state = state
    defer { entries = [] }
    if limit > 1 {
      limit = min(4 * limit, SnapshotReader.sliceCount)
      try state.require(Set(entries.map(\.id)))
    }
    var taken: [(entry: OpenEntry, isMoot: Bool)] = []
    for entry in entries {
      let id = entry.id
      let isKnown = state.isOverlaid(id) || state.blocked[id] != nil
      taken.append((entry, isKnown ? true : try state.opaque(id) != nil))
    }
    return taken
  }
}
