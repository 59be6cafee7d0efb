/// An entity of any kind, as stored in a snapshot.
package enum LedgerEntity: Sendable, Hashable {
  case promise(PromiseEntity)
  case session(SessionEntity)
  case handler(HandlerEntity)
  case opaque(OpaqueEntity)

  /// The kind; `nil` if this build does not know it.
  package var kind: EntityKind? { type.knownKind }

  /// The content type of the entity's record.
  package var type: RecordType {
    switch self {
    case .promise(let promise): promise.isExtended ? .extendedPromise : .promise
    case .session: .session
    case .handler: .handler
    case .opaque(let entity): entity.type
    }
  }

  package var id: EntityID {
    switch self {
    case .promise(let promise): promise.id.entityID
    case .session(let session): session.id.entityID
    case .handler(let handler): handler.id.entityID
    case .opaque(let entity): entity.id
    }
  }

  /// Whether further events of the entity are possible.
  package var isOpen: Bool {
    switch self {
    case .promise(let promise): promise.isOpen
    case .session(let session): !session.isEnded
    case .handler(let handler): handler.isOpen
    case .opaque(let entity): !entity.outline.entries.contains { $0.kind == .closed }
    }
  }

  package var lastPosition: Position {
    switch self {
    case .promise(let promise): promise.lastPosition
    case .session(let session): session.lastPosition
    case .handler(let handler): handler.lastPosition
    case .opaque(let entity): entity.outline.lastPosition
    }
  }

  /// The time of the newest event.
  package var lastTime: Timestamp {
    switch self {
    case .promise(let promise): promise.lastTime
    case .session(let session): session.lastTime
    case .handler(let handler): handler.lastTime
    case .opaque(let entity): entity.outline.lastTime
    }
  }

  /// Whether the id can be computed again.
  package var isKeyed: Bool {
    switch self {
    case .promise(let promise): promise.isKeyed
    case .session: false
    case .handler(let handler): handler.key != nil
    case .opaque(let entity): entity.outline.isKeyed
    }
  }
}

// MARK: - The entity, or `nil` if it is of another kind

extension LedgerEntity {
  package var promise: PromiseEntity? {
    if case .promise(let promise) = self { promise } else { nil }
  }

  package var handler: HandlerEntity? {
    if case .handler(let handler) = self { handler } else { nil }
  }

  package var session: SessionEntity? {
    if case .session(let session) = self { session } else { nil }
  }
}
