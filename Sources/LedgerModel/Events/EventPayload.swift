/// What an event of one kind carries.
///
/// Payloads of a kind are versioned: a field is never given another meaning, a new field makes a
/// new version.
public protocol EventPayload: Sendable {
  /// The kind of event that carries this payload.
  static var kind: EventKind { get }

  /// The newest schema version that this build knows; it reads this version and all before it. 1 by
  /// default.
  static var newestVersion: UInt16 { get }

  /// The lowest schema version that can say what this payload says, so that as many builds as can be
  /// read it; it is written with the event. 1 by default.
  var version: UInt16 { get }

  /// Decodes a payload.
  ///
  /// - Throws: ``LedgerError/Code/corrupt`` if the bytes are not such a payload.
  init(decoding payload: [UInt8]) throws(LedgerError)

  /// The encoded payload.
  var encoded: [UInt8] { get }
}

extension EventPayload {
  public static var newestVersion: UInt16 { 1 }

  public var version: UInt16 { 1 }

  /// Runs a parser over all bytes of a payload.
  package static func parse<Value>(
    _ payload: [UInt8], _ body: (inout PayloadReader) throws(PayloadDamage) -> Value
  ) throws(LedgerError) -> Value {
    do throws(PayloadDamage) {
      var reader = PayloadReader(payload)
      let value = try body(&reader)
      try reader.finish()
      return value
    } catch {
      throw LedgerError(.corrupt, "The payload of a \(kind) event is damaged: \(error.what).")
    }
  }
}
