extension ReplayedLedger {
  /// Hands over promises: first those that were consumed or abandoned, in the order in which they were,
  /// then the others, in the order of creation.
  ///
  /// Large values are not read: a record has its ``PromiseRecord/outcomeKind`` and no
  /// ``PromiseRecord/outcome`` then.
  ///
  /// - Parameters:
  ///   - statuses: Which promises are wanted; by default those that are neither consumed nor
  ///     abandoned.
  ///   - progress: Called now and then, also while nothing that is wanted is found. It must
  ///     not use a ledger.
  ///   - body: Gets each record; it ends the walk by returning `false`.
  /// - Throws: ``LedgerError`` with `corrupt`; with `eventsCompacted` if the ledger was compacted past
  ///   ``position`` meanwhile; and what `body` throws.
  /// - Complexity: O(promises that are open), and O(all) if closed ones are wanted.
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

  /// Hands over handlers: those that can still be called, or of which a call is not finished, in the
  /// order of their creation.
  ///
  /// - Parameters:
  ///   - includesClosed: Whether the others come, too, before them, in the order in which they ended.
  ///   - progress: Called now and then, also while nothing that is wanted is found. It must
  ///     not use a ledger.
  ///   - body: Gets each record; it ends the walk by returning `false`.
  /// - Throws: ``LedgerError`` with `corrupt`; with `eventsCompacted` if the ledger was compacted past
  ///   ``position`` meanwhile; and what `body` throws.
  /// - Complexity: O(handlers that are open), and O(all) if closed ones are wanted.
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
  /// The record without an outcome that is stored beside its event.
  fileprivate var smallRecord: PromiseRecord {
    get throws(LedgerError) {
      if recordAttachment != nil { return PromiseRecord(self, try creation(), outcome: nil) }
      return try record { (_, _) throws(LedgerError) in [] }
    }
  }
}
