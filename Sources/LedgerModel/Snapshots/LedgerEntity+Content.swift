extension LedgerEntity {
  /// The canonical encoding of the entity, independent of how its state was reached.
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
  /// - Throws: The errors of ``init(type:id:content:)``.
  package init(_ id: EntityID, _ record: SnapshotRecord.Stored) throws(LedgerError) {
    try self.init(type: record.type, id: id, content: record.content)
  }

  /// Decodes the content of a record.
  ///
  /// - Throws: `corrupt` if the bytes are not valid content for such an entity.
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
