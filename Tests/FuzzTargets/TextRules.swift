import LedgerModel

/// A text that is accepted is the same after it was printed and read again, and within its limits.
enum TextRules {
  static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    let text = String(decoding: bytes, as: UTF8.self)
    try checkPrinted(text, EntityID.init(_:))
    try checkPrinted(text, PromiseID.init(_:))
    try checkPrinted(text, StateDigest.init(_:))
    if let key = try? PromiseKey(text) { try checkKey(key.text) }
    if let key = try? HandlerKey(text) { try checkKey(key.text) }
    if let key = try? IdempotencyKey(text) { try checkKey(key.text) }
    if let lane = try? WorkLane(text) { try checkKey(lane.name) }
    guard let error = try? StoredError(decoding: bytes) else { return }
    let again = try? StoredError(decoding: error.encoded)
    try FuzzFinding.unless(again == error, "a stored error changes when it is written and read")
  }

  private static func checkPrinted<Value: Equatable & CustomStringConvertible>(
    _ text: String, _ parse: (String) -> Value?
  ) throws(FuzzFinding) {
    guard let value = parse(text) else { return }
    try FuzzFinding.unless(
      parse(value.description) == value, "\(value) changes when it is printed and read")
  }

  private static func checkKey(_ text: String) throws(FuzzFinding) {
    try FuzzFinding.unless(
      (1...512).contains(text.utf8.count), "a key of \(text.utf8.count) bytes was accepted")
    try FuzzFinding.unless(
      !text.unicodeScalars.contains { $0.properties.generalCategory == .control },
      "a key with a control character was accepted")
  }
}
