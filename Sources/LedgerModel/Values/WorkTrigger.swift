import LedgerBytes

/// The condition under which work becomes due.
@nonexhaustive public enum WorkTrigger: Sendable, Hashable {
  /// The work is due at once.
  case now
  /// The work becomes due at a time, by the clock of the session that runs it.
  case at(Timestamp)
  /// The work becomes due when a promise is settled in the given way.
  case after(PromiseID, Settlement)
  /// The work becomes due at a time, or when one of several promises is settled.
  // Rare, so that it does not make all other triggers larger.
  indirect case firstOf(WorkCondition)

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

extension WorkTrigger {
  /// The promises of which the work awaits one.
  package var awaited: [PromiseID] {
    switch self {
    case .now, .at: []
    case .after(let promise, _): [promise]
    case .firstOf(let condition): condition.promises
    }
  }

  /// The time at which the work becomes due by itself; `nil` if it is due at once, or waits only for promises.
  package var time: Timestamp? {
    switch self {
    case .at(let time): time
    case .firstOf(let condition): condition.time
    case .now, .after: nil
    }
  }

  /// The promises of which the work awaits one, each with the settlement.
  package var awaitedSettlements: [(promise: PromiseID, settlement: Settlement)] {
    switch self {
    case .now, .at: []
    case .after(let promise, let settlement): [(promise, settlement)]
    case .firstOf(let condition): condition.promises.map { ($0, .any) }
    }
  }
}

// MARK: - Encoding

extension WorkTrigger {
  private enum Number {
    static let now: UInt8 = 0
    static let time: UInt8 = 1
    static let promise: UInt8 = 2
    static let condition: UInt8 = 3
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
    case .firstOf(let condition):
      let hasTime: UInt8 = condition.time == nil ? 0 : 1
      let count = UInt8(clamping: condition.promises.count)
      bytes += [Number.condition, 0, hasTime, count, 0, 0, 0, 0]
      condition.append(to: &bytes)
    }
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let number: UInt8 = try reader.integer()
    let settlement: Settlement = try reader.choice("settlement")
    let hasTime: UInt8 = try reader.integer()
    let promiseCount: UInt8 = try reader.integer()
    try reader.skip(4)
    guard settlement == .fulfilled || number == Number.promise,
      number == Number.condition ? hasTime <= 1 : hasTime == 0 && promiseCount == 0
    else { throw PayloadDamage(what: "the trigger \(number) has parts of another kind") }
    switch number {
    case Number.now: self = .now
    case Number.time: self = .at(try reader.timestamp())
    case Number.promise: self = .after(try reader.identifier(), settlement)
    case Number.condition:
      self = .firstOf(
        try WorkCondition(reading: &reader, hasTime: hasTime == 1, promiseCount: Int(promiseCount)))
    default: throw PayloadDamage(what: "the trigger \(number) is unknown")
    }
  }
}
