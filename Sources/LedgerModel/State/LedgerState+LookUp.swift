// MARK: - Looking up

extension LedgerState {
  /// The current promise; `nil` if it was never created, or its record was removed.
  ///
  /// - Throws: `corrupt` if its record is damaged; `unsupportedEvent` if it is of a later version.
  package func promise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    if let entity = promises[id] { return entity }
    return try below(id.entityID)?.promise
  }

  /// The current handler; `nil` if it was never created, or its record was removed.
  ///
  /// - Throws: `corrupt` if its record is damaged.
  package func handler(_ id: HandlerID) throws(LedgerError) -> HandlerEntity? {
    if let entity = handlers[id] { return entity }
    return try below(id.entityID)?.handler
  }

  /// The current session; `nil` if it was never opened, or its record was removed.
  ///
  /// - Throws: `corrupt` if its record is damaged.
  package func session(_ id: SessionID) throws(LedgerError) -> SessionEntity? {
    if let entity = sessions[id] { return entity }
    return try below(id.entityID)?.session
  }

  /// Whether the id belongs to a keyed entity whose record was removed.
  ///
  /// - Throws: `corrupt` if its record is damaged.
  package func isTombstone(_ id: EntityID) throws(LedgerError) -> Bool {
    if let removed = removals.removed[id] { return removed.isKeyed }
    guard snapshot.mayHold(id), !isOverlaid(id) else { return false }
    if !removals.isEmpty, let entity = try snapshot.entity(id) {
      return entity.isKeyed && isHidden(entity)
    }
    return try snapshot.isTombstone(id)
  }

  /// The entity with the id; `nil` if there is none.
  ///
  /// - Throws: `corrupt` if its record is damaged.
  package func entity(_ id: EntityID, _ kind: EntityKind) throws(LedgerError)
    -> LedgerEntity?
  {
    switch kind {
    case .promise: try promise(PromiseID(entityID: id)).map(LedgerEntity.promise)
    case .handler: try handler(HandlerID(entityID: id)).map(LedgerEntity.handler)
    case .session: try session(SessionID(entityID: id)).map(LedgerEntity.session)
    }
  }

  /// The session, if this build can read it.
  ///
  /// - Throws: `corrupt` if its record is damaged.
  package func readableSession(_ id: SessionID) throws(LedgerError) -> SessionEntity? {
    try opaque(id.entityID) == nil ? session(id) : nil
  }

  /// Whether a session has not ended and only a later version can read it: it may be alive.
  package func isOpenAndOpaque(_ id: SessionID) throws(LedgerError) -> Bool {
    try opaque(id.entityID).map { LedgerEntity.opaque($0).isOpen } ?? false
  }

  /// The newest event of a blocked subject that could not be applied; `nil` if the subject is not blocked.
  package func blockedThrough(_ subject: EntityID) -> Position? { blockedThrough[subject] }

  // MARK: Below the overlay

  /// - Parameter isToChange: Whether the lists of the snapshot must also agree with the entity.
  func below(
    _ id: EntityID, isToChange: Bool = false
  ) throws(LedgerError) -> LedgerEntity? {
    // An entity that changed since the snapshot is of one kind only.
    guard snapshot.mayHold(id), !isOverlaid(id),
      let entity = try isToChange ? snapshot.listedEntity(id) : snapshot.entity(id),
      !isHidden(entity)
    else { return nil }
    if case .opaque(let opaque) = entity { throw .opaque(id, opaque.type) }
    return entity
  }

  /// The record of an id, if only a later version can read it. A damaged record gives `nil`; every other
  /// look-up of it fails.
  package func opaque(_ id: EntityID) throws(LedgerError) -> OpaqueEntity? {
    guard snapshot.summary.counts.hasOpaque, snapshot.mayHold(id), !isOverlaid(id) else {
      return nil
    }
    let entity = try LedgerError.catchingDamage { () throws(LedgerError) in
      try snapshot.entity(id)
    }
    guard case .success(.opaque(let opaque)?) = entity, !isHidden(.opaque(opaque)) else {
      return nil
    }
    return opaque
  }

  // MARK: Entities to change

  /// The current promise, for an event that changes it.
  ///
  /// - Throws: The errors of ``promise(_:)``, and `corrupt` if the lists of the snapshot contradict its
  ///   record.
  func promiseToChange(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    if let entity = promises[id] { return entity }
    return try below(id.entityID, isToChange: true)?.promise
  }

  /// The current handler, for an event that changes it.
  func handlerToChange(_ id: HandlerID) throws(LedgerError) -> HandlerEntity? {
    if let entity = handlers[id] { return entity }
    return try below(id.entityID, isToChange: true)?.handler
  }

  /// The current session, for an event that changes it.
  func sessionToChange(_ id: SessionID) throws(LedgerError) -> SessionEntity? {
    if let entity = sessions[id] { return entity }
    return try below(id.entityID, isToChange: true)?.session
  }

  // MARK: Overlaid entities

  /// Whether the overlay has the newest state of an entity, or knows that the entity was removed.
  package func isOverlaid(_ id: EntityID) -> Bool {
    promises.place(of: PromiseID(entityID: id)) != nil
      || handlers.entities.place(of: id) != nil
      || sessions.index(forKey: SessionID(entityID: id)) != nil
      || removals.removed.index(forKey: id) != nil
  }

  /// Whether retention removed an entity that the snapshot still has.
  func isHidden(_ entity: LedgerEntity) -> Bool {
    guard !removals.isEmpty, !entity.isOpen else { return false }
    return removals.hides(entity.id, closedAt: entity.lastPosition)
  }

  /// The entity, if it was changed since the snapshot.
  package func overlaid(_ id: EntityID) -> LedgerEntity? {
    if let promise = promises[PromiseID(entityID: id)] { return .promise(promise) }
    if let handler = handlers[HandlerID(entityID: id)] { return .handler(handler) }
    return sessions[SessionID(entityID: id)].map(LedgerEntity.session)
  }

  /// Every entity that was changed since the snapshot, in no particular order.
  package var overlaid: [LedgerEntity] {
    promises.all.map(LedgerEntity.promise) + handlers.all.map(LedgerEntity.handler)
      + sessions.values.map(LedgerEntity.session)
  }
}
