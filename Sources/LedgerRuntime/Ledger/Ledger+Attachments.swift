extension Ledger {
  /// Reads what is stored beside the events of an entity that was looked up.
  ///
  /// Compaction may remove the record in between, with what it names. So what is gone makes this look
  /// the entity up again.
  ///
  /// - Returns: `nil` if the record was removed.
  /// - Throws: `corrupt` if the record is there, and what it names is not; what `body` throws.
  func readBeside<Entity: Equatable & Sendable, R>(
    _ entity: Entity, lookUp: @escaping @Sendable (LedgerState) throws -> Entity?,
    _ body: (Entity) async throws -> R
  ) async throws -> R? {
    var entity = entity
    while true {
      try await configuration.hooks.lookedUp?()
      do {
        return try await body(entity)
      } catch let error as LedgerError where error.code == .eventsCompacted {
        guard let now = try await engine.read(lookUp) else { return nil }
        // What is there now was there when its value was not.
        guard now != entity else {
          throw LedgerError.missingValue(error)
        }
        entity = now
      }
    }
  }
}
