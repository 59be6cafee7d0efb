/// The payload of a creation whose subject may have a key, from which its id is derived.
///
/// All such payloads use the same flag for the key, and the key is their second text.
protocol KeyedPayload: EventPayload {
  /// Derives the id from the key of an encoded payload, without decoding the rest.
  ///
  /// - Precondition: The payload has a key.
  static func idOfKey(encoded payload: [UInt8]) throws(LedgerError) -> EntityID
}

extension KeyedPayload {
  /// Whether an encoded payload has a key.
  static func hasKey(encoded payload: borrowing Span<UInt8>) -> Bool {
    payload.count >= 8 && payload[0] & 2 != 0
  }

  /// - Parameter start: The offset of the first text.
  fileprivate static func key(
    ofEncoded payload: [UInt8], after start: Int
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

extension PromiseCreated: KeyedPayload {
  static func idOfKey(encoded payload: [UInt8]) throws(LedgerError) -> EntityID {
    let start = deadline(ofEncoded: payload) == nil ? 8 : 16
    return try PromiseKey(key(ofEncoded: payload, after: start)).promiseID.entityID
  }
}

extension HandlerCreated: KeyedPayload {
  static func idOfKey(encoded payload: [UInt8]) throws(LedgerError) -> EntityID {
    try HandlerKey(key(ofEncoded: payload, after: 8)).handlerID.entityID
  }
}
