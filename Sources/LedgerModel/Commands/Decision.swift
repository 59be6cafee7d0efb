/// A request to the ledger. Deciding it produces events or a refusal.
///
/// Deciding is pure: it may be repeated on a newer state, or after more of the snapshot was read.
package protocol Command<Answer>: Sendable {
  associatedtype Answer: Sendable

  /// Adds the subjects that are known before the command is decided; none by default.
  ///
  /// - Parameter session: The session that decides the command.
  func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID)

  /// Examines the state and appends the events that carry out the command.
  ///
  /// - Throws: The reason why the command cannot be carried out. The events that it appended are dropped.
  func decide(in decision: inout Decision) throws(LedgerError) -> Answer
}

extension Command {
  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {}
}

/// A command on one promise or handler.
package protocol EntityCommand<Answer>: Command {
  associatedtype ID: LedgerIdentifier

  /// The subject of the command.
  var id: ID { get }
}

extension EntityCommand {
  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    needs.ids.insert(id.entityID)
  }
}

/// The session, the time and the room of a decision.
package struct DecisionContext: Sendable {
  package var session: SessionID
  package var role: SessionRole
  /// The time, read once after the commit began.
  package var now: Timestamp
  /// The number of bytes that the commit may add.
  package var room: CommitRoom
  /// The amount of work that may wait for a runner before more is refused; `nil` for any amount.
  package var maximumQueuedWorkCount: Int?

  package init(
    session: SessionID, role: SessionRole, now: Timestamp, room: CommitRoom = .unlimited,
    maximumQueuedWorkCount: Int? = nil
  ) {
    self.session = session
    self.role = role
    self.now = now
    self.room = room
    self.maximumQueuedWorkCount = maximumQueuedWorkCount
  }
}

/// A commit under construction: a durable state, the changes staged over it, and the events.
package struct Decision {
  package let base: LedgerState
  package let context: DecisionContext
  package private(set) var staged: StagedLayer
  package private(set) var batch = EventBatch()
  /// The amount of work that this commit settled because another promise was settled.
  var followerCount = 0

  package init(over base: consuming LedgerState, context: DecisionContext) {
    staged = StagedLayer(over: base)
    self.base = base
    self.context = context
  }

  /// The time of the decision: the store's clock or the configured clock, regardless of the times of earlier
  /// events. A single clock that jumps must not move the deadlines of all sessions.
  package var now: Timestamp { context.now }

  /// Whether the ledger has no events yet.
  package var isEmptyLedger: Bool { staged.position == .start }

  package func promise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    if let entity = staged.promises[id] { return entity }
    guard let entity = try base.promise(id) else { return nil }
    return staged.hidesEntities && staged.hides(.promise(entity)) ? nil : entity
  }

  package func handler(_ id: HandlerID) throws(LedgerError) -> HandlerEntity? {
    if let entity = staged.handlers[id] { return entity }
    guard let entity = try base.handler(id) else { return nil }
    return staged.hidesEntities && staged.hides(.handler(entity)) ? nil : entity
  }

  /// The position of the snapshot.
  package var snapshotPosition: Position { base.base }

  /// The runs that a session has started and not ended, in the order in which they started.
  package func runningCalls(of session: SessionID) throws(LedgerError) -> [StartedCall] {
    let below = try base.runningHandlers(of: session).map(\.id)
    var calls: [StartedCall] = []
    for id in Set(below).union(staged.handlers.ids) {
      guard let entity = try handler(id) else { continue }
      calls += entity.openCalls.values.filter { $0.runningSession == session }
        .map { StartedCall(entity: entity, call: $0) }
    }
    return calls.sorted { $0.call.newestStart.position < $1.call.newestStart.position }
  }

  /// The work of which a session is running an attempt, in the order in which the attempts started.
  package func runningWork(of session: SessionID) throws(LedgerError) -> [PromiseEntity] {
    let below = try base.runningWork(of: session).filter { staged.promises[$0.id] == nil }
    let changed = staged.work.running.compactMap { staged.promises[$0] }
    let running = below + changed.filter { $0.progress?.runningSession == session }
    return running.sorted { $0.lastPosition < $1.lastPosition }
  }

  package func session(_ id: SessionID) throws(LedgerError) -> SessionEntity? {
    if let entity = staged.sessions[id] { return entity }
    return try base.session(id)
  }

  /// The pending promises whose deadline has passed.
  package func duePromises(limit: Int) throws(LedgerError) -> [PromiseID] {
    try base.due(at: now, limit: limit).filter {
      staged.promises[$0]?.status ?? .pending == .pending
    }
  }

  /// Refuses to write to a subject that this build does not understand.
  package func requireWritable(_ subject: EntityID) throws(LedgerError) {
    if let problem = base.blocked[subject] {
      throw problem.refusal(of: subject)
    }
  }

  /// Refuses to write for a session that was ended by another process.
  ///
  /// Such a session must not start a run, because the run would never be released.
  package func requireOwnSession() throws(LedgerError) {
    guard let session = try session(context.session), !session.isEnded else {
      throw LedgerError(
        .sessionEnded,
        "Another process found session \(context.session) dead and ended it. Open the ledger again."
      )
    }
  }

  /// Returns the found entity, or `nil` if the id is unknown.
  ///
  /// - Throws: The refusal of a subject whose creation this build cannot read: such an entity exists, so it
  ///   must not be reported as missing.
  func known<Entity>(_ found: Entity?, or id: EntityID) throws(LedgerError) -> Entity? {
    if let found { return found }
    try requireWritable(id)
    try refuseIfRemoved(id)
    return nil
  }

  /// Refuses a command on a keyed entity whose record was removed: its id can be computed again, but a
  /// removed entity must not be recreated.
  func refuseIfRemoved(_ id: EntityID) throws(LedgerError) {
    if try base.isTombstone(id) { throw .recordRemoved(id) }
    if try isStagedTombstone(id) { throw .recordRemoved(id) }
  }

  private func isStagedTombstone(_ id: EntityID) throws(LedgerError) -> Bool {
    guard staged.hidesEntities else { return false }
    let promise = try base.promise(PromiseID(entityID: id)).map(LedgerEntity.promise)
    let handler = try base.handler(HandlerID(entityID: id)).map(LedgerEntity.handler)
    guard let entity = promise ?? handler else { return false }
    return entity.isKeyed && staged.hides(entity)
  }

  /// Appends an event and applies it to the staged changes.
  ///
  /// - Parameter usesReserve: Whether a full ledger must still accept the event.
  package mutating func append<Payload: EventPayload>(
    _ payload: Payload, to subject: EntityID, cause: Position = .start, attachment: [UInt8] = [],
    usesReserve: Bool = !Payload.kind.makesLedgerGrow
  ) throws(LedgerError) {
    try append(
      payload, encoded: payload.encoded, to: subject, cause: cause, attachment: attachment,
      usesReserve: usesReserve)
  }

  /// Appends an event whose payload is already encoded.
  private mutating func append<Payload: EventPayload>(
    _ payload: Payload, encoded: [UInt8], to subject: EntityID, cause: Position,
    attachment: [UInt8], usesReserve: Bool
  ) throws(LedgerError) {
    try requireWritable(subject)
    let event = NewEvent(
      kind: Payload.kind, version: payload.version, time: now, subject: subject, cause: cause,
      payload: encoded, attachment: attachment)
    try requireRoom(for: event, usesReserve: usesReserve)
    let start = batch.bytes.count
    try batch.append(event)
    let position = staged.position.advanced(by: 1)
    let bytes = batch.bytes
    let view = EventView(
      bytes: bytes.span.extracting(start..<bytes.count),
      position: position, session: context.session)
    try staged.apply(view, over: base)
  }

  /// Appends an event and stores its large content beside it, which is not allowed to use the reserve.
  mutating func appendAttaching<Payload: AttachablePayload>(
    _ payload: Payload, to subject: EntityID, cause: Position = .start
  ) throws(LedgerError) {
    let encoded = payload.encoded
    if encoded.count > EventBatch.maximumPayloadByteCount, let attachment = payload.attachable {
      var detached = payload
      detached.detachContent()
      try append(detached, to: subject, cause: cause, attachment: attachment, usesReserve: false)
    } else {
      try append(
        payload, encoded: encoded, to: subject, cause: cause, attachment: [],
        usesReserve: !Payload.kind.makesLedgerGrow)
    }
  }

  /// Refuses an event that would make the ledger exceed its size limit.
  private func requireRoom(for event: NewEvent, usesReserve: Bool) throws(LedgerError) {
    let bytes = usesReserve ? context.room.bytesWithReserve : context.room.bytes
    guard batch.byteCount + event.byteCount <= bytes else {
      throw LedgerError(
        .ledgerFull,
        "The ledger has reached its size limit. Raise the limit, or compact the ledger; nothing is lost, and existing outcomes can still be consumed."
      )
    }
  }

  /// Decides a command; if it throws, all of its events are dropped.
  package mutating func run<Answer>(
    _ command: some Command<Answer>
  ) throws(LedgerError) -> Answer {
    let mark = mark
    do throws(LedgerError) {
      return try command.decide(in: &self)
    } catch {
      try rollBack(to: mark)
      throw error
    }
  }

  /// A place in the commit to which it can be rolled back.
  struct Mark {
    fileprivate let eventCount: Int
    fileprivate let followerCount: Int
  }

  /// The end of the commit so far.
  var mark: Mark { Mark(eventCount: batch.count, followerCount: followerCount) }

  /// Notes that a deadline has passed, after which the session must look for the next one.
  mutating func noteDeadline() { batch.noteDeadline() }

  /// Drops the events after a mark by replaying those before it.
  mutating func rollBack(to mark: Mark) throws(LedgerError) {
    followerCount = mark.followerCount
    guard batch.count > mark.eventCount else { return }
    batch.truncate(toCount: mark.eventCount)
    staged = StagedLayer(over: base)
    let bytes = batch.bytes
    var start = 0
    for (index, end) in batch.ends.enumerated() {
      let view = EventView(
        bytes: bytes.span.extracting(start..<end),
        position: base.position.advanced(by: index + 1), session: context.session)
      try staged.apply(view, over: base)
      start = end
    }
  }
}
