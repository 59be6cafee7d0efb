extension ReplayedLedger {
  /// Visits promises: first the consumed and abandoned ones, in the order in which they closed, then the
  /// others, in the order of creation.
  ///
  /// Large values are not read: such a record has an ``PromiseRecord/outcomeKind`` but no
  /// ``PromiseRecord/outcome``.
  ///
  /// - Parameters:
  ///   - statuses: The statuses to visit; by default all except consumed and abandoned.
  ///   - progress: Called periodically, even while no match is found. It must not use a ledger.
  ///   - body: Receives each record; returning `false` ends the walk.
  /// - Throws: ``LedgerError`` with `corrupt`; with `eventsDeleted` if the ledger was compacted past
  ///   ``position`` meanwhile; and any error that `body` throws.
  /// - Complexity: O(open promises), or O(all promises) if closed ones are included.
  public func forEachPromise(
    _ statuses: Set<PromiseRecord.Status> = [.pending, .resolved], progress: () -> Void = {},
    _ body: (PromiseRecord) throws -> Bool
  ) throws {
    var paths: [EntityWalk.Path] = []
    if !statuses.isDisjoint(with: [.consumed, .abandoned]) { paths.append(.closed(.promise)) }
    if !statuses.isDisjoint(with: [.pending, .resolved]) { paths.append(.openPromises) }
    try forEachEntity(on: paths, progress: progress) { entity in
      guard case .promise(let promise) = entity else { return true }
      guard statuses.contains(promise.status), let record = try naming(promise.smallRecord)
      else { return true }
      return try body(record)
    }
  }

  /// Visits promises that are neither consumed nor abandoned, in the order of their creation, as
  /// ``forEachPromise(_:progress:_:)`` does, but without making a record of each. It finds the same damage.
  ///
  /// - Parameters:
  ///   - progress: Called periodically. It must not use a ledger.
  ///   - body: Receives each promise; returning `false` ends the walk.
  /// - Throws: As ``forEachPromise(_:progress:_:)``.
  /// - Complexity: O(open promises).
  package func forEachOpenPromise(
    progress: () -> Void = {}, _ body: (PromiseEntity) throws -> Bool
  ) throws {
    var creator: SessionID?
    try forEachEntity(on: [.openPromises], progress: progress) { entity in
      guard case .promise(let promise) = entity else { return true }
      if !promise.isSurelyIntact { _ = try promise.smallRecord }
      // A record would have its instance. Neighbours mostly have the same creator.
      if promise.created.session != creator {
        _ = try session(promise.created.session)
        creator = promise.created.session
      }
      return try body(promise)
    }
  }

  /// Visits promises that have ended, in the order of their ends: consumed and abandoned ones, and settled ones
  /// that need no consumption, such as those of work.
  ///
  /// Large values are not read.
  ///
  /// - Parameters:
  ///   - progress: Called periodically, even while no match is found. It must not use a ledger.
  ///   - body: Receives each record; returning `false` ends the walk.
  /// - Throws: As ``forEachPromise(_:progress:_:)``.
  /// - Complexity: O(promises that have ended).
  package func forEachEndedPromise(
    progress: () -> Void = {}, _ body: (PromiseRecord) throws -> Bool
  ) throws {
    try forEachEntity(on: [.closed(.promise)], progress: progress) { entity in
      guard case .promise(let promise) = entity, let record = try naming(promise.smallRecord)
      else { return true }
      return try body(record)
    }
  }

  /// Visits handlers: those that can still be called or have an unfinished call, in the order of their
  /// creation.
  ///
  /// - Parameters:
  ///   - includesClosed: Whether to visit the others as well, before them, in the order in which they ended.
  ///   - progress: Called periodically, even while no match is found. It must not use a ledger.
  ///   - body: Receives each record; returning `false` ends the walk.
  /// - Throws: ``LedgerError`` with `corrupt`; with `eventsDeleted` if the ledger was compacted past
  ///   ``position`` meanwhile; and any error that `body` throws.
  /// - Complexity: O(open handlers), or O(all handlers) if closed ones are included.
  public func forEachHandler(
    includesClosed: Bool = false, progress: () -> Void = {}, _ body: (HandlerRecord) throws -> Bool
  ) throws {
    var paths: [EntityWalk.Path] = [.openHandlers]
    if includesClosed { paths.insert(.closed(.handler), at: 0) }
    try forEachEntity(on: paths, progress: progress) { entity in
      guard case .handler(let handler) = entity else { return true }
      return try body(try handler.record(attachment: attachment))
    }
  }
}

extension PromiseEntity {
  /// The record, without its outcome if that is stored beside its event.
  var smallRecord: PromiseRecord {
    get throws(LedgerError) {
      if recordAttachment != nil { return PromiseRecord(self, try creation(), outcome: nil) }
      return try record { (_, _) throws(LedgerError) in [] }
    }
  }
}
