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
      case .session, .opaque:
        return true
      }
    } catch {
      return false
    }
  }
}
