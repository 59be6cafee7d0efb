import LedgerBytes

extension LedgerEvent.Trace {
  /// The size of a fact in a snapshot record, in bytes.
  static var byteCount: Int { 32 }
}

extension [UInt8] {
  mutating func appendFact(_ fact: LedgerEvent.Trace) {
    let time = UInt64(bitPattern: fact.time.nanosecondsSinceEpoch)
    appendLittleEndian(SIMD2(fact.position.rawValue, time))
    fact.session.entityID.append(to: &self)
  }

  /// Appends an event's payload, which fits into a frame, with a 2-byte length.
  mutating func appendPayload(_ payload: [UInt8]) {
    appendLittleEndian(UInt16(payload.count))
    append(contentsOf: payload)
  }
}

extension PayloadReader {
  mutating func fact() throws(PayloadDamage) -> LedgerEvent.Trace {
    let position = try position()
    let time = try timestamp()
    return LedgerEvent.Trace(position: position, time: time, session: try identifier())
  }

  /// Reads an event's payload with its 2-byte length.
  mutating func payload() throws(PayloadDamage) -> [UInt8] {
    try bytes(Int(try integer(UInt16.self)))
  }

  /// Reads and decodes an event's payload with its 2-byte length.
  mutating func decoded<Payload: EventPayload>(
    _ type: Payload.Type
  ) throws(PayloadDamage) -> Payload {
    let payload = try payload()
    do throws(LedgerError) {
      return try Payload(decoding: payload)
    } catch {
      throw PayloadDamage(what: error.message)
    }
  }
}
