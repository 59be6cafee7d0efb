/// An immutable fact about one entity of a ledger.
public struct LedgerEvent: Sendable, Hashable {
  /// The position in the global order of the ledger.
  public let position: Position
  /// The writer's clock reading at the event. It is informative only; the position determines the order.
  public let time: Timestamp
  /// The kind of the event.
  public let kind: EventKind
  /// The schema version of the payload.
  public let version: UInt16
  /// The entity that the event changes.
  public let subject: EntityID
  /// The session that wrote the event.
  public let session: SessionID
  /// The event that led to this event, if there was one.
  public let cause: Position?
  /// The payload as stored; ``decode(as:)`` reads it.
  public let payload: [UInt8]
  /// The size of the value that is stored beside the event because it is large, in bytes; 0 if there is none.
  public let attachmentByteCount: Int

  package init(copying view: borrowing EventView) {
    position = view.position
    time = view.time
    kind = view.kind
    version = view.version
    subject = view.subject
    session = view.session
    cause = view.cause == .start ? nil : view.cause
    payload = view.payloadBytes
    attachmentByteCount = view.attachmentByteCount
  }

  /// Decodes the payload if the event is of the payload's kind.
  ///
  /// - Returns: `nil` if the event is of another kind.
  /// - Throws: ``LedgerError/Code/unsupportedEvent`` if the event's version is newer than those that this
  ///   build knows; ``LedgerError/Code/corrupt`` if the payload is damaged.
  public func decode<Payload: EventPayload>(
    as type: Payload.Type = Payload.self
  ) throws(LedgerError) -> Payload? {
    guard kind == Payload.kind else { return nil }
    guard version <= Payload.newestVersion, version > 0 else {
      throw LedgerError(
        .unsupportedEvent,
        "The \(kind) event at position \(position) has version \(version); this build knows \(Payload.newestVersion). Update the library."
      )
    }
    return try Payload(decoding: payload)
  }
}
