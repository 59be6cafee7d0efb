/// Contradictions within a single event, whatever came before it. Folding, archives and verification share
/// these checks, so that none of them accepts an event that another one refuses.
///
/// Each check takes the same short time for every event.
package enum EventContradiction {
  /// The reason why an event cannot be at its position, or `nil` if it can: only the first event creates the
  /// ledger, and a cause precedes its effect.
  @inline(__always)
  package static func ofPlace(_ position: Position, kind: EventKind, cause: Position) -> String? {
    if cause >= position {
      return "Its cause is at position \(cause), which does not come before it."
    }
    if (position.rawValue == 1) != (kind == .ledgerCreated) {
      return "A \(kind) event cannot be at position \(position)."
    }
    return nil
  }

  /// The reason why the subject of an event cannot have the event's key, or `nil` if it can.
  ///
  /// The check costs nothing for events other than creations with a key.
  @inline(__always)
  package static func ofKey(_ event: borrowing EventView) -> String? {
    guard let creation = event.kind.keyedPayload,
      (1...creation.newestVersion).contains(event.version), creation.hasKey(encoded: event.payload)
    else { return nil }
    return ofKey(creation, event.payloadBytes, event.subject)
  }

  private static func ofKey(
    _ creation: any KeyedPayload.Type, _ payload: [UInt8], _ id: EntityID
  ) -> String? {
    do throws(LedgerError) {
      return try creation.idOfKey(encoded: payload) == id
        ? nil : "The id of the subject does not follow from its key."
    } catch {
      return error.message
    }
  }
}

extension LedgerEntity {
  /// Whether the id is derived from the key, if there is one.
  package var fitsItsKey: Bool {
    do throws(LedgerError) {
      switch self {
      case .promise(let promise):
        guard promise.isKeyed else { return true }
        return try PromiseCreated.idOfKey(encoded: promise.creationPayload) == id
      case .handler(let handler):
        guard let key = handler.key else { return true }
        return try HandlerKey(key).handlerID.entityID == id
      case .session, .opaque:
        return true
      }
    } catch {
      return false
    }
  }
}
