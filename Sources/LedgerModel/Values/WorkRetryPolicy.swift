import LedgerBytes

/// The delays between the attempts of work that fails, and the number of failures after which it is given up.
///
/// Only failures count: errors that the code throws, and attempts that take too long. A freeze, a wait, or
/// the end of a process is no failure.
public struct WorkRetryPolicy: Sendable, Hashable {
  /// The end of work that reached its failure limit.
  @nonexhaustive public enum GivingUp: UInt8, Sendable, Hashable, CaseIterable {
    /// Its promise is rejected with the last error.
    case reject = 0
    /// It is parked until an operator acts.
    case park = 1
  }

  /// The number of failures after which the work is given up; `nil` for no limit.
  public let failureLimit: Int?
  /// The delay after the first failure.
  public let firstDelay: Duration
  /// The longest delay.
  public let longestDelay: Duration
  /// The factor by which each delay exceeds the one before, in hundredths.
  let factorInHundredths: UInt32
  /// The end of the work after the last failure.
  public let givingUp: GivingUp

  /// The factor by which each delay exceeds the one before.
  public var factor: Double { Double(factorInHundredths) / 100 }

  /// 20 failures, with delays that double from 1 second to 1 hour; then the promise is rejected.
  public static let standard = WorkRetryPolicy(
    failureLimit: 20, firstDelay: .seconds(1), longestDelay: .seconds(3_600),
    factorInHundredths: 200, givingUp: .reject)

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - failureLimit: The number of failures after which the work is given up, 1 to 4,294,967,295; `nil`
  ///     for no limit.
  ///   - firstDelay: The delay after the first failure; not negative.
  ///   - longestDelay: The longest delay; at least `firstDelay`.
  ///   - factor: The factor by which each delay exceeds the one before: 1 to 1,000, rounded to hundredths.
  ///   - givingUp: The end of the work after the last failure.
  /// - Throws: ``LedgerError/Code/invalidArgument`` if a parameter is out of bounds.
  public init(
    failureLimit: Int? = 20, firstDelay: Duration = .seconds(1),
    longestDelay: Duration = .seconds(3_600), factor: Double = 2, givingUp: GivingUp = .reject
  ) throws(LedgerError) {
    let isLimited = failureLimit.map { (1...Int(UInt32.max)).contains($0) } ?? true
    guard isLimited, firstDelay >= .zero, longestDelay >= firstDelay, (1...1_000).contains(factor)
    else {
      throw LedgerError(
        .invalidArgument,
        "A retry policy with failure limit \(failureLimit.map(String.init) ?? "none"), delays from \(firstDelay) to \(longestDelay) and factor \(factor) is impossible: the limit must be 1 or more, no delay negative, the longest delay not shorter than the first, and the factor 1 to 1000."
      )
    }
    self.init(
      failureLimit: failureLimit, firstDelay: firstDelay, longestDelay: longestDelay,
      factorInHundredths: UInt32((factor * 100).rounded()), givingUp: givingUp)
  }

  private init(
    failureLimit: Int?, firstDelay: Duration, longestDelay: Duration, factorInHundredths: UInt32,
    givingUp: GivingUp
  ) {
    self.failureLimit = failureLimit
    // As stored, so that a policy equals itself after replay.
    self.firstDelay = .nanoseconds(firstDelay.clampedNanoseconds)
    self.longestDelay = .nanoseconds(longestDelay.clampedNanoseconds)
    self.factorInHundredths = factorInHundredths
    self.givingUp = givingUp
  }
}

// MARK: - Delays

extension WorkRetryPolicy {
  /// The delay after a failure, shortened by up to a quarter so that works that failed together are not tried
  /// again together.
  ///
  /// - Parameters:
  ///   - failureNumber: The number of failures so far, from 1.
  ///   - promise: The promise of the work. The same failure of the same work has the same delay everywhere.
  package func delay(after failureNumber: UInt64, of promise: PromiseID) -> Duration {
    var delay = Double(firstDelay.clampedNanoseconds)
    let longest = Double(longestDelay.clampedNanoseconds)
    if factorInHundredths > 100 {
      var number: UInt64 = 1
      while number < failureNumber, delay < longest, delay > 0 {
        delay *= Double(factorInHundredths) / 100
        number += 1
      }
    }
    let share = Double(Self.jitter(promise, failureNumber)) / Double(UInt32.max)
    // The largest number of nanoseconds is rounded up to one that is too large.
    let nanoseconds = Int64(exactly: (min(delay, longest) * (1 - share / 4)).rounded(.down))
    return .nanoseconds(nanoseconds ?? .max)
  }

  /// A number that differs between promises and failures (the finalizer of MurmurHash3).
  private static func jitter(_ promise: PromiseID, _ failureNumber: UInt64) -> UInt32 {
    var bits =
      promise.entityID.high ^ promise.entityID.low &+ failureNumber &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    bits = (bits ^ (bits >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return UInt32(truncatingIfNeeded: bits ^ (bits >> 33))
  }
}

// MARK: - Encoding

extension WorkRetryPolicy {
  func append(to bytes: inout [UInt8]) {
    bytes.appendLittleEndian(UInt32(clamping: failureLimit ?? 0))
    bytes += [givingUp.rawValue, 0, 0, 0]
    bytes.appendLittleEndian(firstDelay.clampedNanoseconds)
    bytes.appendLittleEndian(longestDelay.clampedNanoseconds)
    bytes.appendLittleEndian(factorInHundredths)
    bytes.appendLittleEndian(UInt32(0))
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let limit: UInt32 = try reader.integer()
    let givingUp: GivingUp = try reader.choice("end of a retry policy")
    try reader.skip(3)
    let firstDelay: Int64 = try reader.integer()
    let longestDelay: Int64 = try reader.integer()
    let factor: UInt32 = try reader.integer()
    try reader.skip(4)
    guard firstDelay >= 0, longestDelay >= firstDelay, (100...100_000).contains(factor) else {
      throw PayloadDamage(what: "the delays of a retry policy are invalid")
    }
    self.init(
      failureLimit: limit == 0 ? nil : Int(limit), firstDelay: .nanoseconds(firstDelay),
      longestDelay: .nanoseconds(longestDelay), factorInHundredths: factor, givingUp: givingUp)
  }
}
