import LedgerRuntime

/// How the events grew, in a bounded number of samples.
struct SizeSamples: Sendable {
  private static let largestCount = 400

  private var samples: [(time: Timestamp, position: Position, byteCount: Int)] = []
  private var last: (time: Timestamp, position: Position, byteCount: Int)?
  private var byteCount = 0
  private var eventCount = 0
  /// Every so many events there is a sample.
  private var stride = 1

  mutating func add(_ event: LedgerEvent) {
    byteCount += event.payload.count + event.attachmentByteCount
    last = (event.time, event.position, byteCount)
    if eventCount % stride == 0 {
      samples.append((event.time, event.position, byteCount))
      if samples.count > Self.largestCount {
        stride *= 2
        samples = samples.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      }
    }
    eventCount += 1
  }

  var json: JSONValue {
    var all = samples
    if let last, all.last?.position != last.position { all.append(last) }
    return .array(
      all.map {
        .array([
          .string("\($0.time)"), .unsigned($0.position.rawValue), .integer(Int64($0.byteCount)),
        ])
      })
  }
}
