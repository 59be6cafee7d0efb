import LedgerBytes

/// The condition under which work becomes due.
@nonexhaustive public enum WorkTrigger: Sendable, Hashable {
  /// The work is due at once.
  case now
  /// The work becomes due at a time, by the clock of the session that runs it.
  case at(Timestamp)
  /// The work becomes due when a promise is settled in the given way.
  case after(PromiseID, Settlement)

  /// The outcomes of an awaited promise under which work becomes due.
  @nonexhaustive public enum Settlement: UInt8, Sendable, Hashable, CaseIterable {
    /// The promise is fulfilled.
    case fulfilled = 0
    /// The promise is rejected, cancelled or abandoned, or it times out.
    case failed = 1
    /// The promise is settled in any way.
    case any = 2
  }
}

// MARK: - Encoding

extension WorkTrigger {
  private enum Number {
    static let now: UInt8 = 0
    static let time: UInt8 = 1
    static let promise: UInt8 = 2
  }

  func append(to bytes: inout [UInt8]) {
    switch self {
    case .now:
      bytes += [Number.now, 0, 0, 0, 0, 0, 0, 0]
    case .at(let time):
      bytes += [Number.time, 0, 0, 0, 0, 0, 0, 0]
      bytes.appendLittleEndian(time.nanosecondsSinceEpoch)
    case .after(let promise, let settlement):
      bytes += [Number.promise, settlement.rawValue, 0, 0, 0, 0, 0, 0]
      promise.entityID.append(to: &bytes)
    }
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let number: UInt8 = try reader.integer()
    let settlement: Settlement = try reader.choice("settlement")
    try reader.skip(6)
    switch number {
    case Number.now: self = .now
    case Number.time: self = .at(try reader.timestamp())
    case Number.promise: self = .after(try reader.identifier(), settlement)
    default: throw PayloadDamage(what: "the trigger \(number) is unknown")
    }
  }
}
