/// Makes records of a session's entities, including the values that are stored beside their events.
///
/// Compaction may remove an entity, with the values that it refers to, after it was looked up. So if a value
/// is missing, the entity is looked up again.
struct RecordReader: Sendable {
  let engine: LedgerEngine
  let instances: SessionInstances

  /// The current record of an entity; `nil` if there is none.
  func record<Entity: RecordedEntity>(
    of id: Entity.ID, _ type: Entity.Type
  ) async throws -> Entity.Record? {
    guard let entity = try await engine.read({ try Entity.find(id, in: $0) }) else { return nil }
    return try await keptRecord(of: entity)
  }

  /// The record of an entity that was looked up.
  ///
  /// - Throws: The reason why the entity is missing, if it was removed meanwhile.
  func record<Entity: RecordedEntity>(of entity: Entity) async throws -> Entity.Record {
    guard let record = try await keptRecord(of: entity) else { throw try await reason(entity) }
    return record
  }

  /// The records of entities that were looked up, in the order of their creation, without those that
  /// were removed meanwhile.
  func records<Entity: RecordedEntity>(of entities: [Entity]) async throws -> [Entity.Record] {
    var records: [Entity.Record] = []
    var rest = entities.sorted { $0.created.position < $1.created.position }[...]
    while !rest.isEmpty {
      let group = rest.prefix(weighing: AttachmentReference.groupByteCount) {
        $0.recordAttachment?.byteCount ?? 0
      }
      rest = rest.dropFirst(group.count)
      records += try await self.records(ofGroup: group)
    }
    return records
  }

  /// The records of entities whose attachments are read at once.
  private func records<Entity: RecordedEntity>(
    ofGroup entities: ArraySlice<Entity>
  ) async throws -> [Entity.Record] {
    let wanted = entities.compactMap(\.recordAttachment)
    var contents: [Position: [UInt8]] = [:]
    if !wanted.isEmpty {
      try await engine.setup.hooks.lookedUp?()
      let found = try await engine.readStore { store in try store.attachments(wanted) }
      for (wanted, content) in zip(wanted, found) { contents[wanted.position] = try? content.get() }
    }
    var records: [Entity.Record] = []
    for entity in entities {
      if let wanted = entity.recordAttachment, contents[wanted.position] == nil {
        // The entity was looked up again, or is missing.
        if let record = try await keptRecord(of: entity) { records.append(record) }
      } else {
        records.append(
          try entity.record { (position, _) throws(LedgerError) in contents[position] ?? [] })
      }
    }
    return records
  }

  /// The current record of a promise, with the instance of its creator; `nil` if there is none.
  func promiseRecord(of id: PromiseID) async throws -> PromiseRecord? {
    guard let record = try await record(of: id, PromiseEntity.self) else { return nil }
    return try await namingInstances([record]).first
  }

  /// The record of a promise that was looked up, with the instance of its creator.
  ///
  /// - Throws: The reason why the promise is missing, if it was removed meanwhile.
  func promiseRecord(of entity: PromiseEntity) async throws -> PromiseRecord {
    var record = try await record(of: entity)
    record.creatorInstance = try await namingInstances([record]).first?.creatorInstance
    return record
  }

  /// The records of promises that were looked up, each with the instance of its creator, in the order
  /// of their creation.
  func promiseRecords(of entities: [PromiseEntity]) async throws -> [PromiseRecord] {
    try await namingInstances(try await records(of: entities))
  }

  /// Adds the instance of the creator if it is already known. A read would delay the answer to a durable
  /// command while the ledger is frozen.
  func namingKnownInstance(_ record: PromiseRecord) -> PromiseRecord {
    var record = record
    record.creatorInstance = instances.known(record.created.session)
    return record
  }

  private func namingInstances(_ records: [PromiseRecord]) async throws -> [PromiseRecord] {
    let named = try await instances.names(of: Set(records.map(\.created.session)), in: engine)
    return records.map { record in
      var record = record
      record.creatorInstance = named[record.created.session]
      return record
    }
  }

  /// Runs `body` on an entity, so that it can read the values stored beside the entity's events.
  ///
  /// - Parameter body: Runs again with the newest entity if a value is no longer there.
  /// - Throws: The reason why the entity is missing, if it was removed meanwhile; any error that `body`
  ///   throws.
  func withNewest<Entity: RecordedEntity, R>(
    _ entity: Entity, _ body: (Entity) async throws -> R
  ) async throws -> R {
    guard let result = try await retrying(entity, body) else { throw try await reason(entity) }
    return result
  }

  /// Reads arguments, whether they are stored in the event or beside it.
  func load(_ reference: ArgumentsReference) async throws -> StoredArguments {
    if case .inline(let arguments) = reference { return arguments }
    return try await engine.readStore { store in
      try reference.load(store.attachment)
    }
  }

  private func keptRecord<Entity: RecordedEntity>(
    of entity: Entity
  ) async throws -> Entity.Record? {
    try await retrying(entity) { entity in
      guard entity.recordAttachment != nil else {
        return try entity.record { (_, _) throws(LedgerError) in [] }
      }
      return try await engine.readStore { store in
        try entity.record(attachment: store.attachment)
      }
    }
  }

  /// - Returns: `nil` if the entity was removed.
  /// - Throws: `corrupt` if the entity exists but a value that it refers to does not; any error that `body`
  ///   throws.
  private func retrying<Entity: RecordedEntity, R>(
    _ entity: Entity, _ body: (Entity) async throws -> R
  ) async throws -> R? {
    var entity = entity
    while true {
      try await engine.setup.hooks.lookedUp?()
      do {
        return try await body(entity)
      } catch let error as LedgerError where error.code == .eventsDeleted {
        let id = entity.id
        guard let now = try await engine.read({ try Entity.find(id, in: $0) }) else { return nil }
        // The entity has not changed since its value was missing.
        guard now != entity else { throw LedgerError.missingValue(error) }
        entity = now
      }
    }
  }

  private func reason<Entity: RecordedEntity>(_ entity: Entity) async throws -> LedgerError {
    let id = entity.id
    return try await engine.read { try Entity.refusal(ofMissing: id, in: $0) }
  }
}
