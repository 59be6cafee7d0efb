/// An id that says by its type what kind of entity it names.
public protocol LedgerIdentifier: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible
{
  /// The id without its type.
  var entityID: EntityID { get }

  /// Says that an id names an entity of this kind.
  init(entityID: EntityID)
}

extension LedgerIdentifier {
  /// Reads an id from the text of a UUID; `nil` if the text is not one.
  public init?(_ description: String) {
    guard let id = EntityID(description) else { return nil }
    self.init(entityID: id)
  }

  /// The id as a UUID in lower case.
  public var description: String { entityID.description }

  /// Orders ids as their bytes.
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

/// Names a ledger; it stays the same for the ledger's whole life.
public struct LedgerID: LedgerIdentifier {
  /// The id without its type.
  public let entityID: EntityID

  /// Says that an id names a ledger.
  public init(entityID: EntityID) { self.entityID = entityID }
}

/// Names a session: one opening of a ledger by one process.
public struct SessionID: LedgerIdentifier {
  /// The id without its type.
  public let entityID: EntityID

  /// Says that an id names a session.
  public init(entityID: EntityID) { self.entityID = entityID }
}

/// Names a durable promise.
public struct PromiseID: LedgerIdentifier {
  /// The id without its type.
  public let entityID: EntityID

  /// Says that an id names a promise.
  public init(entityID: EntityID) { self.entityID = entityID }
}

/// Names a handler.
public struct HandlerID: LedgerIdentifier {
  /// The id without its type.
  public let entityID: EntityID

  /// Says that an id names a handler.
  public init(entityID: EntityID) { self.entityID = entityID }
}

/// Names a call of a handler, or a run of its invalidation code, through all its attempts.
public struct CallID: LedgerIdentifier {
  /// The id without its type; a call is part of its handler and no entity of its own.
  public let entityID: EntityID

  /// Says that an id names a call.
  public init(entityID: EntityID) { self.entityID = entityID }
}
