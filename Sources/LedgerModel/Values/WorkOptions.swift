import LedgerBytes

/// The priority, lane, limits and retry policy of work, stored with it.
public struct WorkOptions: Sendable, Hashable {
  /// The number of minutes by which the work is treated as due earlier than it is, or later if negative.
  ///
  /// Work of low priority is therefore delayed, but never starved.
  public var priority: Int8
  /// The lane of the work; `nil` if it runs beside any other work.
  public var lane: WorkLane?
  /// The policy for failures; `nil` for that of the kind.
  public var retryPolicy: WorkRetryPolicy?
  /// The time that an attempt may take; `nil` for no limit. A longer one is cancelled and counts as a failure. The time
  /// in which the session is frozen does not count, unless the freeze could not be recorded.
  public var attemptTimeout: Duration?
  /// The time after which the work is given up before its next attempt; `nil` for none. Code that may have to undo
  /// something because the work was cancelled is not given up.
  public var givesUpAfter: Timestamp?

  /// Creates options.
  ///
  /// - Parameters:
  ///   - priority: The number of minutes by which the work is treated as due earlier.
  ///   - lane: The lane of the work.
  ///   - retryPolicy: The policy for failures, if it is not that of the kind.
  ///   - attemptTimeout: The time that an attempt may take.
  ///   - givesUpAfter: The time after which the work is given up before its next attempt.
  public init(
    priority: Int8 = 0, lane: WorkLane? = nil, retryPolicy: WorkRetryPolicy? = nil,
    attemptTimeout: Duration? = nil, givesUpAfter: Timestamp? = nil
  ) {
    self.priority = priority
    self.lane = lane
    self.retryPolicy = retryPolicy
    self.attemptTimeout = attemptTimeout
    self.givesUpAfter = givesUpAfter
  }
}

// MARK: - Encoding

extension WorkOptions {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let lane = Flags(rawValue: 1)
    static let retryPolicy = Flags(rawValue: 2)
    static let attemptTimeout = Flags(rawValue: 4)
    static let givesUpAfter = Flags(rawValue: 8)
    static let all = Flags(rawValue: 15)
  }

  func append(to bytes: inout [UInt8]) {
    var flags: Flags = []
    if lane != nil { flags.insert(.lane) }
    if retryPolicy != nil { flags.insert(.retryPolicy) }
    if attemptTimeout != nil { flags.insert(.attemptTimeout) }
    if givesUpAfter != nil { flags.insert(.givesUpAfter) }
    bytes += [flags.rawValue, UInt8(bitPattern: priority)]
    bytes.appendLittleEndian(UInt16(clamping: lane?.width ?? 0))
    bytes.appendLittleEndian(UInt32(0))
    if let attemptTimeout { bytes.appendLittleEndian(attemptTimeout.clampedNanoseconds) }
    if let givesUpAfter { bytes.appendLittleEndian(givesUpAfter.nanosecondsSinceEpoch) }
    retryPolicy?.append(to: &bytes)
    if let lane { bytes.appendText(lane.name) }
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let flags = Flags(rawValue: try reader.integer())
    guard flags.isSubset(of: .all) else {
      throw PayloadDamage(what: "the options \(flags.rawValue) of work are unknown")
    }
    let priority: Int8 = try reader.integer()
    let width: UInt16 = try reader.integer()
    guard (width > 0) == flags.contains(.lane) else {
      throw PayloadDamage(what: "the width \(width) of a lane is invalid")
    }
    try reader.skip(4)
    let timeout: Int64? = flags.contains(.attemptTimeout) ? try reader.integer() : nil
    let givesUpAfter = flags.contains(.givesUpAfter) ? try reader.timestamp() : nil
    let retryPolicy = flags.contains(.retryPolicy) ? try WorkRetryPolicy(reading: &reader) : nil
    let lane = flags.contains(.lane) ? try reader.name(.lane) : nil
    guard timeout ?? 1 > 0 else {
      throw PayloadDamage(what: "the time that an attempt of work may take is not positive")
    }
    self.init(
      priority: priority, lane: lane.map { WorkLane(storedName: $0, width: Int(width)) },
      retryPolicy: retryPolicy, attemptTimeout: timeout.map(Duration.nanoseconds),
      givesUpAfter: givesUpAfter)
  }
}
