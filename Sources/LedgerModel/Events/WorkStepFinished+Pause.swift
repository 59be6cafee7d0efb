import LedgerBytes

extension WorkStepFinished {
  /// The name of the type of a pause's end, which is kept as nanoseconds since 1970.
  package static let pauseTypeTag = "PromiseLedger.time"

  /// The encoded end of a pause, which is kept like the value of a step, so that every attempt waits for the same
  /// time.
  package static func encoded(endOfPause end: Timestamp) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(end.nanosecondsSinceEpoch)
    return bytes
  }

  /// The end of a pause; `nil` if the bytes are not one.
  package static func endOfPause(_ bytes: [UInt8]) -> Timestamp? {
    guard bytes.count == 8 else { return nil }
    return Timestamp(nanosecondsSinceEpoch: bytes.span.loadLittleEndian(at: 0))
  }
}
