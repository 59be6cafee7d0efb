/// An id whose type says which kind of entity it names.
public protocol LedgerIdentifier: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible
{
  /// The id without its type.
  var entityID: EntityID { get }

  /// Creates a typed id; the entity must be of this kind.
  init(entityID: EntityID)
}

extension LedgerIdentifier {
  /// Parses the text of a UUID; `nil` if the text is not one.
  public init?(_ description: String) {
    guard let id = EntityID(description) else { return nil }
    self.init(entityID: id)
  }

  /// The id as a lower-case UUID.
  public var description: String { entityID.description }

  /// Orders ids by their bytes.
  public static func < (left: Self, right: Self) -> Bool { left.entityID < right.entityID }

  /// Decodes the text of a UUID.
  public init(from decoder: any Decoder) throws {
    self.init(entityID: try EntityID(from: decoder))
  }

  /// Encodes the text of a UUID.
  public func encode(to encoder: any Encoder) throws {
    try entityID.encode(to: encoder)
  }
}

/// The id of a ledger, which never changes during the ledger's life.
public struct LedgerID: LedgerIdentifier {
  /// The id without its type.
  public let entityID: EntityID

  /// Creates the id of a ledger.
  public init(entityID: EntityID) { self.entityID = entityID }
}

/// The id of a session: one opening of a ledger by one process.
public struct SessionID: LedgerIdentifier {
  /// The id without its type.
  public let entityID: EntityID

  /// Creates the id of a session.
  public init(entityID: EntityID) { self.entityID = entityID }
}

/// The id of a durable promise.
public struct PromiseID: LedgerIdentifier {
  /// The id without its type.
  public let entityID: EntityID

  /// Creates the id of a promise.
  public init(entityID: EntityID) { self.entityID = entityID }
}

/// The id of a handler.
public struct HandlerID: LedgerIdentifier {
  /// The id without its type.
  public let entityID: EntityID

  /// Creates the id of a handler.
  public init(entityID: EntityID) { self.entityID = entityID }
}

/// The id of a call of a handler, or of a run of its invalidation code, for all its attempts.
public struct CallID: LedgerIdentifier {
  /// The id without its type. A call is part of its handler, not an entity of its own.
  public let entityID: EntityID

  /// Creates the id of a call.
  public init(entityID: EntityID) { self.entityID = entityID }
}
