extension LedgerEntity {
  /// The canonical encoding of the entity, independent of how its state was reached.
  package var content: [UInt8] {
    switch self {
    case .promise(let promise):
      promise.isExtended ? outline.encoded + promise.content : promise.content
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
        self = .promise(try Self.promise(PromiseID(entityID: id), type, &reader))
      case .session:
        self = .session(try SessionEntity(id: SessionID(entityID: id), content: &reader))
      case .handler:
        self = .handler(try HandlerEntity(id: HandlerID(entityID: id), content: &reader))
      case nil:
        self = .opaque(try OpaqueEntity(type: type, id: id, content: content))
        return
      }
      try reader.finish()
      guard type.layout == RecordType.original || self.content == content else {
        throw PayloadDamage(what: "its outline does not match the rest")
      }
    } catch {
      throw SnapshotRecord.damaged(id, error.what)
    }
  }

  private static func promise(
    _ id: PromiseID, _ type: RecordType, _ reader: inout PayloadReader
  ) throws(PayloadDamage) -> PromiseEntity {
    let isExtended = type == .extendedPromise
    if isExtended { _ = try RecordOutline(of: id.entityID, &reader) }
    return try PromiseEntity(id: id, content: &reader, isExtended: isExtended)
  }

  /// The facts that every build needs to keep, move and remove the record.
  private var outline: RecordOutline {
    RecordOutline(
      isKeyed: isKeyed, lastPosition: lastPosition, lastTime: lastTime,
      attachments: attachments.sorted { $0.position < $1.position },
      entries: openEntries.sorted { $0.key.lexicographicallyPrecedes($1.key) })
  }
}
