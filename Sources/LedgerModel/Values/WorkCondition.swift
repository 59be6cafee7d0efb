import LedgerBytes

/// A time and several promises, of which work awaits the first: it becomes due at the time, or when one of the
/// promises is settled in any way.
public struct WorkCondition: Sendable, Hashable {
  /// The maximum number of promises.
  package static let maximumPromiseCount = 64

  /// The time; `nil` if the work waits only for promises.
  public let time: Timestamp?
  /// The promises, in the order of ids; at most 64.
  public let promises: [PromiseID]

  package init(time: Timestamp? = nil, promises: some Sequence<PromiseID> = []) {
    self.time = time
    self.promises = Set(promises).sorted()
  }
}

// MARK: - Encoding

extension WorkCondition {
  func append(to bytes: inout [UInt8]) {
    if let time { bytes.appendLittleEndian(time.nanosecondsSinceEpoch) }
    for promise in promises { promise.entityID.append(to: &bytes) }
  }

  init(
    reading reader: inout PayloadReader, hasTime: Bool, promiseCount: Int
  ) throws(PayloadDamage) {
    let time = hasTime ? try reader.timestamp() : nil
    var promises: [PromiseID] = []
    for _ in 0..<promiseCount { promises.append(try reader.identifier()) }
    self.init(time: time, promises: promises)
    guard hasTime || !promises.isEmpty, promises == self.promises,
      promiseCount <= Self.maximumPromiseCount
    else { throw PayloadDamage(what: "the condition of work is invalid") }
  }
}
