/// What an event can say wrong by itself, whatever came before it: one place for folding, archives and
/// verification, so that none of them takes what another refuses.
///
/// Each check takes the same short time for every event.
package enum EventContradiction {
  /// Why an event cannot stand where it does: the first event creates the ledger, and no other; and a
  /// cause comes before what it causes. `nil` if it can.
  @inline(__always)
  package static func ofPlace(_ position: Position, kind: EventKind, cause: Position) -> String? {
    if cause >= position {
      return "Its cause is position \(cause), which comes not before it."
    }
    if (position.rawValue == 1) != (kind == .ledgerCreated) {
      return "A \(kind) event stands at position \(position)."
    }
    return nil
  }

  /// Why the subject of an event cannot have the key that the event says; `nil` if it can.
  ///
  /// Of other events than creations with a key it costs nothing.
  @inline(__always)
  package static func ofKey(_ event: borrowing EventView) -> String? {
    switch event.kind {
    case .promiseCreated where event.version == PromiseCreated.version,
      .handlerCreated where event.version == HandlerCreated.version:
      guard CreationKey.isIn(event.payload) else { return nil }
      return ofKey(event.kind, event.payloadBytes, event.subject)
    default:
      return nil
    }
  }

  private static func ofKey(_ kind: EventKind, _ payload: [UInt8], _ id: EntityID) -> String? {
    do throws(LedgerError) {
      let idOfKey =
        kind == .promiseCreated
        ? try PromiseCreated.idOfKey(encoded: payload)
        : try HandlerCreated.idOfKey(encoded: payload)
      return idOfKey == id ? nil : "The id of the subject does not follow from its key."
    } catch {
      return error.message
    }
  }
}

extension LedgerEntity {
  /// Whether its id follows from its key, if it has one.
  package var fitsItsKey: Bool {
    do throws(LedgerError) {
      switch self {
      case .promise(let promise):
        guard promise.isKeyed else { return true }
        return try PromiseCreated.idOfKey(encoded: promise.creationPayload) == id
      case .handler(let handler):
        guard let key = handler.key else { return true }
        return try HandlerKey(key).handlerID.entityID == id
      case .session:
        return true
      }
    } catch {
      return false
    }
  }
}

/// Where a key stands in the payload of a creation: both kinds have the same flag for it, and it is the
/// second text.
private enum CreationKey {
  private static let flag: UInt8 = 2

  @inline(__always)
  static func isIn(_ payload: borrowing Span<UInt8>) -> Bool {
    payload.count >= 8 && payload[0] & flag != 0
  }

  /// - Parameter start: Where the first text begins.
  static func read(
    _ payload: [UInt8], of kind: EventKind, after start: Int
  ) throws(LedgerError) -> String {
    do throws(PayloadDamage) {
      var reader = PayloadReader(payload)
      try reader.skip(start)
      try reader.skip(Int(reader.integer(UInt16.self)))
      return try reader.text()
    } catch {
      throw LedgerError(.corrupt, "The payload of a \(kind) event is damaged: \(error.what).")
    }
  }
}

extension PromiseCreated {
  /// The id that follows from the key of an encoded payload, without decoding the rest.
  ///
  /// - Precondition: There is a key.
  fileprivate static func idOfKey(encoded payload: [UInt8]) throws(LedgerError) -> EntityID {
    let start = deadline(ofEncoded: payload) == nil ? 8 : 16
    return try PromiseKey(CreationKey.read(payload, of: kind, after: start)).promiseID.entityID
  }
}

extension HandlerCreated {
  /// The id that follows from the key of an encoded payload, without decoding the rest.
  ///
  /// - Precondition: There is a key.
  fileprivate static func idOfKey(encoded payload: [UInt8]) throws(LedgerError) -> EntityID {
    try HandlerKey(CreationKey.read(payload, of: kind, after: 8)).handlerID.entityID
  }
}
