package import LedgerModel

extension EntityID {
  /// A random-looking but fixed id.
  package static func numbered(_ number: Int) -> EntityID {
    EntityID(high: 0x0190_0000_0000_7000 | UInt64(number) << 16, low: 0x8000_0000_0000_0001)
  }

  package static func random() -> EntityID { EntityID(high: .random(in: 0...(.max)), low: 1) }
}

extension PromiseID {
  package static func numbered(_ number: Int) -> PromiseID {
    PromiseID(entityID: .numbered(0x1_0000 + number))
  }
}

extension SessionID {
  package static func numbered(_ number: Int) -> SessionID {
    SessionID(entityID: .numbered(0x2_0000 + number))
  }
}

extension Timestamp {
  /// Nanoseconds since 1970, short.
  package static func at(_ nanoseconds: Int64) -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: nanoseconds)
  }
}

extension SessionOpened {
  package static func sample(role: SessionRole = .app, instance: String = "main") -> SessionOpened {
    SessionOpened(
      role: role, processID: 42, instance: instance, host: "host", libraryVersion: "0.1.0")
  }
}

extension CreatePromise {
  /// A lenient creation of a promise of type `text`.
  package init(
    _ id: PromiseID, deadline: Timestamp? = nil, effect: PromiseCreated.DeadlineEffect = .timesOut,
    idempotencyKey: String? = nil, isStrict: Bool = false
  ) {
    self.init(
      id: id,
      creation: PromiseCreated(
        typeTag: "text", deadline: deadline, deadlineEffect: effect,
        idempotencyKey: idempotencyKey),
      isStrict: isStrict)
  }
}

extension ResolvePromise {
  /// A strict resolve without a key, as the public calls make it by default.
  package init(
    _ id: PromiseID, _ outcome: PromiseOutcomeKind = .fulfilled, content: [UInt8] = [1, 2, 3],
    typeTag: String? = nil, idempotencyKey: String? = nil, isStrict: Bool = true,
    isForced: Bool = false
  ) {
    self.init(
      id: id, outcome: outcome, content: content, typeTag: typeTag,
      idempotencyKey: idempotencyKey, isStrict: isStrict, isForced: isForced)
  }
}

/// Appends one event regardless of the rules; for building stored states without the commands.
package struct Record<Payload: EventPayload>: Command {
  package let payload: Payload
  package let subject: EntityID

  package init(_ payload: Payload, on subject: EntityID) {
    self.payload = payload
    self.subject = subject
  }

  package func decide(in decision: inout Decision) throws(LedgerError) {
    try decision.append(payload, to: subject)
  }
}

extension NewEvent {
  /// An event as a newer or a damaged build might have written it.
  package static func raw(
    _ kind: EventKind, version: UInt16 = 1, on subject: EntityID, at time: Timestamp = .at(1_000),
    payload: [UInt8] = []
  ) -> NewEvent {
    NewEvent(
      kind: kind, version: version, time: time, subject: subject, cause: .start,
      payload: payload, attachment: [])
  }

  /// An event as this build writes it.
  package static func of(
    _ payload: some EventPayload, on subject: EntityID, at time: Timestamp = .at(1_000)
  ) -> NewEvent {
    raw(
      type(of: payload).kind, version: payload.version, on: subject, at: time,
      payload: payload.encoded)
  }
}

extension OpenSession {
  package init(_ opened: SessionOpened) {
    self.init(opened, newLedgerID: LedgerID(entityID: .numbered(77)))
  }
}

extension AttachablePayload {
  /// The same payload, saying that the rest is stored beside the event.
  package func detachingContent() -> Self {
    var payload = self
    payload.detachContent()
    return payload
  }
}
