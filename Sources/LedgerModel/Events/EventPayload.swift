/// The payload of the events of one kind.
///
/// The payloads of a kind are versioned: a field never changes its meaning, and a new field requires a new
/// version.
public protocol EventPayload: Sendable {
  /// The kind of event that carries this payload.
  static var kind: EventKind { get }

  /// The newest schema version that this build knows; the build reads this version and all earlier ones. The
  /// default is 1.
  static var newestVersion: UInt16 { get }

  /// The lowest schema version that can represent this payload, so that as many builds as possible
  /// can read it; it is written with the event.
  ///
  /// The default is 1.
  var version: UInt16 { get }

  /// Decodes a payload.
  ///
  /// - Throws: ``LedgerError/Code/corrupt`` if the bytes are not a valid payload of this kind.
  init(decoding payload: [UInt8]) throws(LedgerError)

  /// The encoded payload.
  var encoded: [UInt8] { get }
}

extension EventPayload {
  public static var newestVersion: UInt16 { 1 }

  public var version: UInt16 { 1 }

  /// Runs a parser that must consume all bytes of a payload.
  package static func parse<Value>(
    _ payload: [UInt8], _ body: (inout PayloadReader) throws(PayloadDamage) -> Value
  ) throws(LedgerError) -> Value {
    try parsePrefix(of: payload) { reader throws(PayloadDamage) in
      let value = try body(&reader)
      try reader.finish()
      return value
    }
  }

  /// Parses the beginning of a payload: `body` need not read all of it.
  static func parsePrefix<Value>(
    of payload: [UInt8], _ body: (inout PayloadReader) throws(PayloadDamage) -> Value
  ) throws(LedgerError) -> Value {
    do throws(PayloadDamage) {
      var reader = PayloadReader(payload)
      return try body(&reader)
    } catch {
      throw LedgerError(.corrupt, "The payload of a \(kind) event is damaged: \(error.what).")
    }
  }
}
