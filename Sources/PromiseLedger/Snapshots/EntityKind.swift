/// What kind of entity a snapshot record is about; the number in the file.
package enum EntityKind: UInt8, Sendable, Hashable, CaseIterable {
  case promise = 1
  case session = 2
  case handler = 3
}

/// An entity of any kind, as a snapshot keeps it.
package enum LedgerEntity: Sendable, Hashable {
  case promise(PromiseEntity)
  case session(SessionEntity)
  case handler(HandlerEntity)

  package var kind: EntityKind {
    switch self {
    case .promise: .promise
    case .session: .session
    case .handler: .handler
    }
  }

  package var id: EntityID {
    switch self {
    case .promise(let promise): promise.id.entityID
    case .session(let session): session.id.entityID
    case .handler(let handler): handler.id.entityID
    }
  }

  /// Whether something can still happen to it.
  package var isOpen: Bool {
    switch self {
    case .promise(let promise): promise.isOpen
    case .session(let session): !session.isEnded
    case .handler(let handler): handler.isOpen
    }
  }

  package var lastPosition: Position {
    switch self {
    case .promise(let promise): promise.lastPosition
    case .session(let session): session.lastPosition
    case .handler(let handler): handler.lastPosition
    }
  }

  /// The time of its newest event.
  package var lastTime: Timestamp {
    switch self {
    case .promise(let promise): promise.lastTime
    case .session(let session): session.lastTime
    case .handler(let handler): handler.lastTime
    }
  }

  /// Whether anybody can compute its id again.
  package var isKeyed: Bool {
    switch self {
    case .promise(let promise): promise.isKeyed
    case .session: false
    case .handler(let handler): handler.key != nil
    }
  }
}

// MARK: - Content

extension LedgerEntity {
  /// The one encoding of the entity: equal however its state came about.
  package var content: [UInt8] {
    switch self {
    case .promise(let promise): promise.content
    case .session(let session): session.content
    case .handler(let handler): handler.content
    }
  }

  /// Decodes the content of a record.
  ///
  /// - Throws: `corrupt` if the bytes are not the content of such an entity.
  package init(kind: EntityKind, id: EntityID, content: [UInt8]) throws(LedgerError) {
    do throws(PayloadDamage) {
      var reader = PayloadReader(content)
      switch kind {
      case .promise:
        self = .promise(try PromiseEntity(id: PromiseID(entityID: id), content: &reader))
      case .session:
        self = .session(try SessionEntity(id: SessionID(entityID: id), content: &reader))
      case .handler:
        self = .handler(try HandlerEntity(id: HandlerID(entityID: id), content: &reader))
      }
      try reader.finish()
    } catch {
      throw SnapshotRecord.damaged(id, error.what)
    }
  }
}
