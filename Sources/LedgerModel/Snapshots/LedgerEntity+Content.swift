extension LedgerEntity {
  /// The one encoding of the entity: equal however its state came about.
  package var content: [UInt8] {
    switch self {
    case .promise(let promise): promise.content
    case .session(let session): session.content
    case .handler(let handler): handler.content
    case .opaque(let entity): entity.content
    }
  }

  /// Decodes a record.
  ///
  /// - Throws: As ``init(type:id:content:)``.
  package init(_ id: EntityID, _ record: SnapshotRecord.Stored) throws(LedgerError) {
    try self.init(type: record.type, id: id, content: record.content)
  }

  /// Decodes the content of a record.
  ///
  /// - Throws: `corrupt` if the bytes are not the content of such an entity.
  package init(
    type: RecordType, id: EntityID, content: [UInt8]
  ) throws(LedgerError) {
    do throws(PayloadDamage) {
      var reader = PayloadReader(content)
      switch type.knownKind {
      case .promise:
        self = .promise(try PromiseEntity(id: PromiseID(entityID: id), content: &reader))
      case .session:
        self = .session(try SessionEntity(id: SessionID(entityID: id), content: &reader))
      case .handler:
        self = .handler(try HandlerEntity(id: HandlerID(entityID: id), content: &reader))
      case nil:
        self = .opaque(try OpaqueEntity(type: type, id: id, content: content))
        return
      }
      try reader.finish()
    } catch {
      throw SnapshotRecord.damaged(id, error.what)
    }
  }
}
