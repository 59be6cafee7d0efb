/// An immutable fact about one entity of a ledger.
public struct LedgerEvent: Sendable, Hashable {
  /// The place in the one global order of the ledger.
  public let position: Position
  /// When the writer's clock said it happened; informative, the order is the position.
  public let time: Timestamp
  /// What it tells.
  public let kind: EventKind
  /// The schema version of the kind.
  public let version: UInt16
  /// The one entity that it changes.
  public let subject: EntityID
  /// The session that wrote it.
  public let session: SessionID
  /// The event that led to it, if there was one.
  public let cause: Position?
  /// The payload as it is stored; ``decode(as:)`` reads it.
  public let payload: [UInt8]
  /// The size in bytes of the value that is stored beside the event because it is large; 0 if none.
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

  /// Reads the payload if the event is of the kind that carries it.
  ///
  /// - Returns: `nil` if the event is of another kind.
  /// - Throws: ``LedgerError/Code/unsupportedEvent`` if the event's version is newer than this
  ///   build; ``LedgerError/Code/corrupt`` if the payload is damaged.
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
