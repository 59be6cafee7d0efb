// MARK: - Looking up

extension LedgerState {
  /// The promise as it is now; `nil` if it was never created, or its record was removed.
  ///
  /// - Throws: `corrupt` if its record is damaged; `unsupportedEvent` if it is of a later version.
  package func promise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    if let entity = promises[id] { return entity }
    return try below(id.entityID)?.promise
  }

  /// The handler as it is now; `nil` if it was never created, or its record was removed.
  ///
  /// - Throws: `corrupt` if its record is damaged.
  package func handler(_ id: HandlerID) throws(LedgerError) -> HandlerEntity? {
    if let entity = handlers[id] { return entity }
    return try below(id.entityID)?.handler
  }

  /// The session as it is now; `nil` if it was never opened, or its record was removed.
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

  /// Whatever there is with the id; `nil` if there is nothing.
  ///
  /// - Throws: `corrupt` if its record is damaged.
  package func entity(_ id: EntityID, _ kind: EntityKind) throws(LedgerError) -> LedgerEntity? {
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

  /// Whether a session did not end that only a later version can read: it may be alive.
  package func isOpenAndOpaque(_ id: SessionID) throws(LedgerError) -> Bool {
    try opaque(id.entityID).map { LedgerEntity.opaque($0).isOpen } ?? false
  }

  // MARK: Below the overlay

  /// - Parameter isToChange: Whether the lists of the snapshot must show the entity, too.
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

  /// What the record of an id holds, if only a later version can read it. Of a damaged one that is not
  /// known; whatever else is asked of it fails.
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

  // MARK: To be changed

  /// The promise as it is now, for an event that changes it.
  ///
  /// - Throws: As ``promise(_:)``; `corrupt`, too, if the lists of the snapshot contradict its record.
  func promiseToChange(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    if let entity = promises[id] { return entity }
    return try below(id.entityID, isToChange: true)?.promise
  }

  /// The handler, likewise.
  func handlerToChange(_ id: HandlerID) throws(LedgerError) -> HandlerEntity? {
    if let entity = handlers[id] { return entity }
    return try below(id.entityID, isToChange: true)?.handler
  }

  /// The session, likewise.
  func sessionToChange(_ id: SessionID) throws(LedgerError) -> SessionEntity? {
    if let entity = sessions[id] { return entity }
    return try below(id.entityID, isToChange: true)?.session
  }

  // MARK: What is where

  /// Whether the overlay has the newest state of an entity, or knows that it is gone.
  package func isOverlaid(_ id: EntityID) -> Bool {
    promises.place(of: PromiseID(entityID: id)) != nil
      || handlers[HandlerID(entityID: id)] != nil || sessions[SessionID(entityID: id)] != nil
      || removals.removed[id] != nil
  }

  /// Whether retention removed what the snapshot still has.
  func isHidden(_ entity: LedgerEntity) -> Bool {
    guard !removals.isEmpty, !entity.isOpen else { return false }
    return removals.hides(entity.id, closedAt: entity.lastPosition)
  }

  /// The entity, if it was changed since the snapshot.
  func overlaid(_ id: EntityID) -> LedgerEntity? {
    if let promise = promises[PromiseID(entityID: id)] { return .promise(promise) }
    if let handler = handlers[HandlerID(entityID: id)] { return .handler(handler) }
    return sessions[SessionID(entityID: id)].map(LedgerEntity.session)
  }

  /// Every entity that was changed since the snapshot, in no order.
  package var overlaid: [LedgerEntity] {
    promises.all.map(LedgerEntity.promise) + handlers.all.map(LedgerEntity.handler)
      + sessions.values.map(LedgerEntity.session)
  }
}
