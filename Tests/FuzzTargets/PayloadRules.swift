import LedgerModel

/// A payload that can be read is the same after it was written and read again, its version is known, and it can be
/// redacted.
enum PayloadRules {
  static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    var input = FuzzBytes(bytes)
    let kinds = EventKind.all
    let kind = kinds[Int(input.byte()) % kinds.count]
    guard let type = kind.payload else {
      throw FuzzFinding("\(kind) is known, but has no type of payload")
    }
    try check(input.all(), as: type)
  }

  private static func check<Payload: EventPayload>(
    _ bytes: [UInt8], as type: Payload.Type
  ) throws(FuzzFinding) {
    guard let payload = try? type.init(decoding: bytes) else { return }
    try FuzzFinding.unless(
      (1...type.newestVersion).contains(payload.version),
      "a payload of \(type.kind) has version \(payload.version)")
    let encoded = payload.encoded
    guard let again = try? type.init(decoding: encoded) else {
      throw FuzzFinding("a payload of \(type.kind) cannot be read after it was written")
    }
    try FuzzFinding.unless(
      again.encoded == encoded && again.version == payload.version,
      "a payload of \(type.kind) changes when it is written and read")
    for isJoint in [false, true] {
      let redacted = Redactor(salt: [7]).redact(
        type.kind, version: payload.version, encoded, attachment: [], isJoint: isJoint)
      try FuzzFinding.unless(
        (try? type.init(decoding: redacted.payload)) != nil,
        "a payload of \(type.kind) cannot be read after it was redacted")
    }
  }
}
