/// The state of a ledger at one position: a fold of all events up to it.
///
/// It consists of an overlay in memory, with the changes since the snapshot, above look-ups in the snapshot.
/// It is pure, except for look-ups in a snapshot that has a source: it uses no clock and no randomness, so
/// equal events produce equal states.
package struct LedgerState: Sendable {
  /// The last event applied.
  package internal(set) var position: Position
  /// The newest time of any event. It is informative and decides nothing, because clocks jump.
  package internal(set) var time: Timestamp
  package internal(set) var ledgerID: LedgerID?
  /// The promises, handlers and sessions that changed since the snapshot.
  package internal(set) var promises = PromiseTable()
  package internal(set) var handlers = HandlerTable()
  package internal(set) var sessions: [SessionID: SessionEntity] = [:]
  /// The subjects that may not be written to, each with the event that prevents it.
  package internal(set) var blocked: [EntityID: ReplayProblem] = [:]
  /// The newest event of each blocked subject that could not be applied.
  var blockedThrough: [EntityID: Position] = [:]
  /// The position up to which records of closed entities were removed.
  package internal(set) var horizon: SnapshotSummary.Horizon
  package var removals = RemovalTable()
  var deadlines = DeadlineQueue()
  /// The snapshot's deadline entry up to which all deadlines are in the overlay.
  var passedDeadline: [UInt8]?
  package var snapshot: SnapshotReader
  /// The walk that drops entities already contained in the snapshot from the overlay.
  var drop: OverlayDrop
  /// The amount of work that is due at once and waits for a runner, without that which waits for a time or a promise.
  ///
  /// Events that this build cannot apply are not counted.
  package private(set) var queuedWorkCount: Int

  /// The state at the position of a snapshot.
  package init(snapshot: SnapshotReader = .empty) {
    self.snapshot = snapshot
    let summary = snapshot.summary
    position = summary.position
    drop = OverlayDrop(through: summary.position)
    time = summary.time
    ledgerID = summary.ledgerID
    horizon = summary.horizon
    queuedWorkCount = Int(clamping: summary.counts.lists[.dueWork])
  }

  /// The position of the snapshot that this state is built on.
  package var base: Position { snapshot.position }

  // MARK: Replay

  /// Applies the next event.
  ///
  /// - Throws: `corrupt` if the event is not the next one, or a record in the snapshot is damaged. In that
  ///   case, nothing was applied.
  package mutating func apply(_ event: borrowing EventView) throws(LedgerError) {
    guard event.position == position.advanced(by: 1) else {
      throw LedgerError(
        .corrupt,
        "The event at position \(event.position) follows position \(position): events are missing. Restore the ledger from a copy."
      )
    }
    let problem = try applyToSubject(event)
    position = event.position
    time = max(time, event.time)
    guard let problem else { return }
    if blocked[event.subject] == nil { blocked[event.subject] = problem }
    blockedThrough[event.subject] = event.position
  }

  /// - Returns: The reason why the event cannot be applied to its subject.
  private mutating func applyToSubject(
    _ event: borrowing EventView
  ) throws(LedgerError) -> ReplayProblem? {
    if !snapshot.isEmpty, let opaque = try opaque(event.subject) {
      return ReplayProblem(.opaqueRecord(opaque.type), at: event.position)
    }
    return switch event.kind.subject {
    case .promise: try applyToPromise(event)
    case .handler: try applyToHandler(event)
    case .session: try applyToSession(event)
    case .ledger: applyToLedger(event)
    case nil: event.isOfUnknownKind
    }
  }

  private mutating func applyToPromise(
    _ event: borrowing EventView
  ) throws(LedgerError) -> ReplayProblem? {
    let id = PromiseID(entityID: event.subject)
    guard let place = promises.place(of: id) else { return try applyToPromiseBelow(event, id) }
    let count = promises.work.dueAtOnceCount
    do throws(ReplayProblem) {
      try promises.apply(event, at: place)
    } catch {
      return error
    }
    queuedWorkCount += promises.work.dueAtOnceCount - count
    if removals.closings != nil { noteClosing(of: promises[id].map(LedgerEntity.promise)) }
    assert(promises.isConsistent(id), "the table of promises disagrees with promise \(id)")
    return nil
  }

  /// Applies an event to a promise that is not in the overlay.
  private mutating func applyToPromiseBelow(
    _ event: borrowing EventView, _ id: PromiseID
  ) throws(LedgerError) -> ReplayProblem? {
    guard snapshot.mayHold(id.entityID), let below = try below(id.entityID)?.promise else {
      return try create(id, by: event)
    }
    var entity = below
    do throws(ReplayProblem) {
      try entity.apply(event)
    } catch {
      return error
    }
    // Work may change and stay pending; its deadline in the snapshot is then no longer looked at.
    insert(entity)
    if below.isWork, below.workPlace?.isDueAtOnce ?? false { queuedWorkCount -= 1 }
    return nil
  }

  private mutating func create(
    _ id: PromiseID, by event: borrowing EventView
  ) throws(LedgerError) -> ReplayProblem? {
    let entity: PromiseEntity
    do throws(ReplayProblem) {
      entity = try PromiseEntity(creating: event)
    } catch {
      return error
    }
    if entity.isKeyed, try isTombstone(id.entityID) { return event.isOfRemovedEntity }
    removals.forget(id.entityID)
    insert(entity)
    return nil
  }

  @inline(__always)
  private mutating func insert(_ entity: consuming PromiseEntity) {
    let id = entity.id
    if entity.status == .pending, let deadline = entity.deadline { deadlines.insert(deadline, id) }
    let count = promises.work.dueAtOnceCount
    promises.insert(entity)
    queuedWorkCount += promises.work.dueAtOnceCount - count
    if removals.closings != nil { noteClosing(of: promises[id].map(LedgerEntity.promise)) }
    assert(promises.isConsistent(id), "the table of promises disagrees with promise \(id)")
  }

  private mutating func applyToHandler(
    _ event: borrowing EventView
  ) throws(LedgerError) -> ReplayProblem? {
    let id = HandlerID(entityID: event.subject)
    let below = handlers[id] == nil ? try below(id.entityID)?.handler : nil
    if handlers[id] == nil, below == nil, try isTombstone(id.entityID) {
      return event.isOfRemovedEntity
    }
    do throws(ReplayProblem) {
      if handlers[id] != nil {
        try handlers.apply(event, to: id)
      } else if var entity = below {
        try entity.apply(event)
        handlers.update(entity)
      } else {
        handlers.update(try HandlerEntity(creating: event))
        removals.forget(id.entityID)
      }
    } catch {
      return error
    }
    if removals.closings != nil { noteClosing(of: handlers[id].map(LedgerEntity.handler)) }
    assert(handlers.isConsistent(id), "the table of handlers disagrees with handler \(id)")
    return nil
  }

  private mutating func applyToSession(
    _ event: borrowing EventView
  ) throws(LedgerError) -> ReplayProblem? {
    let id = SessionID(entityID: event.subject)
    let below = sessions[id] == nil ? try below(id.entityID)?.session : nil
    do throws(ReplayProblem) {
      if sessions[id] != nil {
        try sessions[id]?.apply(event)
      } else if var entity = below {
        try entity.apply(event)
        sessions[id] = entity
      } else {
        sessions[id] = try SessionEntity(creating: event)
        removals.forget(id.entityID)
      }
    } catch {
      return error
    }
    if removals.closings != nil { noteClosing(of: sessions[id].map(LedgerEntity.session)) }
    return nil
  }

  private mutating func applyToLedger(_ event: borrowing EventView) -> ReplayProblem? {
    do throws(ReplayProblem) {
      switch try LedgerChange(event, over: ledgerID) {
      case .created(let id): ledgerID = id
      case .removed(let retention): apply(retention, at: event.position)
      case .none: break
      }
      return nil
    } catch {
      return error
    }
  }

  // MARK: Staged changes

  /// Merges the changes of a durable commit.
  ///
  /// - Precondition: `layer` was staged on exactly this position.
  package mutating func merge(_ layer: StagedLayer) {
    assert(layer.basePosition == position, "a staged layer was merged into another state")
    position = layer.position
    time = max(time, layer.time)
    queuedWorkCount += layer.queuedWorkCountChange
    for entity in layer.promises.entities {
      let id = entity.id
      if let place = promises.place(of: id) {
        promises.replace(at: place, by: entity, layer.work[id])
      } else {
        promises.insert(entity, layer.work[id])
        if entity.status == .pending, let deadline = entity.deadline {
          deadlines.insert(deadline, id)
        }
      }
      removals.forget(id.entityID)
      if removals.closings != nil { noteClosing(of: .promise(entity)) }
      assert(promises.isConsistent(id), "the table of promises disagrees with promise \(id)")
    }
    for entity in layer.handlers.entities {
      handlers.update(entity)
      removals.forget(entity.id.entityID)
      if removals.closings != nil { noteClosing(of: .handler(entity)) }
      assert(
        handlers.isConsistent(entity.id),
        "the table of handlers disagrees with handler \(entity.id)")
    }
    for entity in layer.sessions.entities {
      sessions[entity.id] = entity
      removals.forget(entity.id.entityID)
    }
    // Closings are noted in the order of positions.
    let ended = layer.sessions.entities.sorted { $0.lastPosition < $1.lastPosition }
    for entity in ended { noteClosing(of: .session(entity)) }
    ledgerID = ledgerID ?? layer.ledgerID
    for retention in layer.retentions { apply(retention.event, at: retention.position) }
  }
}

extension EventView {
  fileprivate var isOfRemovedEntity: ReplayProblem {
    ReplayProblem(
      .illegalTransition("\(kind) of an entity whose record was removed"), at: position)
  }
}
