import LedgerBytes

extension WorkReleased {
  /// The reason why an attempt ended without an outcome.
  @nonexhaustive public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
    /// The session of the attempt froze.
    case frozen = 0
    /// The session of the attempt was closed.
    case closed = 1
    /// Another session found that the process of the attempt was gone.
    case died = 2
    /// The runner stopped.
    case cancelled = 3
    /// The session found that it cannot run the code.
    case notRunnable = 4
    /// The code failed, and is tried again at a later time.
    case retrying = 5
    /// The code failed for the last time, and an operator decides.
    case parked = 6
    /// The code waits for a time or for promises, or for the next try of a step, and needs no process meanwhile.
    case waiting = 7
  }

  /// The failures of a step that is tried again.
  public struct StepFailures: Sendable, Hashable {
    /// The step.
    public let step: StepIdentity
    /// The number of times that its body failed during the attempt.
    public let count: UInt32

    package init(_ step: StepIdentity, count: UInt32) {
      self.step = step
      self.count = count
    }
  }
}

/// The payload of the event that records the end of an attempt that did not settle its promise.
public struct WorkReleased: EventPayload, Hashable {
  public static let kind = EventKind.workReleased

  /// The number of the attempt, from 1.
  public let attempt: UInt32
  /// The reason for the release.
  public let reason: Reason
  /// The number of failures during the attempt. More than one if the code was tried again at once.
  public let failureCount: UInt32
  /// The time of the next attempt; only with ``Reason/retrying``.
  public let retryTime: Timestamp?
  /// The condition for the next attempt; only with ``Reason/waiting``.
  public let condition: WorkCondition?
  /// The promises that the code awaited, but for children and promises that an earlier attempt named: later
  /// attempts await them again.
  public let awaited: [PromiseID]
  /// The failures of steps during the attempt that are tried again.
  public let stepFailures: [StepFailures]
  /// The last error, if there was one.
  public let error: StoredError?

  package init(
    attempt: UInt32, reason: Reason, failureCount: UInt32 = 0, retryTime: Timestamp? = nil,
    condition: WorkCondition? = nil, awaited: [PromiseID] = [], stepFailures: [StepFailures] = [],
    error: StoredError? = nil
  ) {
    self.attempt = attempt
    self.reason = reason
    self.failureCount = failureCount
    self.retryTime = retryTime
    self.condition = condition
    self.awaited = awaited
    self.stepFailures = stepFailures
    self.error = error
  }
}

// MARK: - Encoding

extension WorkReleased {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let error = Flags(rawValue: 1)
    static let steps = Flags(rawValue: 2)
    static let awaited = Flags(rawValue: 4)
    static let all = Flags(rawValue: 7)
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let reason: Reason = try reader.choice("reason")
      let flags = Flags(rawValue: try reader.integer())
      guard flags.isSubset(of: .all) else {
        throw PayloadDamage(what: "the flags \(flags.rawValue) are unknown")
      }
      try reader.skip(2)
      let attempt = try reader.attempt()
      let failureCount: UInt32 = try reader.integer()
      try reader.skip(4)
      return Self(
        attempt: attempt, reason: reason, failureCount: failureCount,
        retryTime: reason == .retrying ? try reader.timestamp() : nil,
        condition: reason == .waiting ? try reader.condition() : nil,
        awaited: flags.contains(.awaited) ? try reader.promises() : [],
        stepFailures: flags.contains(.steps) ? try reader.stepFailures() : [],
        error: flags.contains(.error) ? try reader.storedError() : nil)
    }
  }

  public var encoded: [UInt8] {
    var flags: Flags = []
    if error != nil { flags.insert(.error) }
    if !stepFailures.isEmpty { flags.insert(.steps) }
    if !awaited.isEmpty { flags.insert(.awaited) }
    var bytes: [UInt8] = [reason.rawValue, flags.rawValue, 0, 0]
    bytes.appendLittleEndian(attempt)
    bytes.appendLittleEndian(failureCount)
    bytes.appendLittleEndian(UInt32(0))
    if reason == .retrying {
      bytes.appendLittleEndian(retryTime?.nanosecondsSinceEpoch ?? 0)
    }
    if reason == .waiting, let condition { WorkTrigger.firstOf(condition).append(to: &bytes) }
    if !awaited.isEmpty { bytes.append(promises: awaited) }
    if !stepFailures.isEmpty {
      bytes.appendLittleEndian(UInt32(clamping: stepFailures.count))
      for failures in stepFailures { failures.append(to: &bytes) }
    }
    if let error { bytes += error.encoded }
    return bytes
  }
}

extension WorkReleased.StepFailures {
  func append(to bytes: inout [UInt8]) {
    bytes.appendLittleEndian(count)
    step.append(to: &bytes)
  }
}

extension [UInt8] {
  /// Appends promises in ascending order, with their number.
  mutating func append(promises: [PromiseID]) {
    appendLittleEndian(UInt32(clamping: promises.count))
    for promise in promises { promise.entityID.append(to: &self) }
  }
}

extension PayloadReader {
  /// Reads promises in ascending order, with their number; at least one.
  mutating func promises() throws(PayloadDamage) -> [PromiseID] {
    let count: UInt32 = try integer()
    var promises: [PromiseID] = []
    for _ in 0..<count {
      let promise: PromiseID = try identifier()
      guard promises.last.map({ $0 < promise }) ?? true else {
        throw PayloadDamage(what: "its promises are out of order")
      }
      promises.append(promise)
    }
    guard count > 0 else { throw PayloadDamage(what: "its promises are missing") }
    return promises
  }

  fileprivate mutating func condition() throws(PayloadDamage) -> WorkCondition {
    guard case .firstOf(let condition) = try WorkTrigger(reading: &self) else {
      throw PayloadDamage(what: "the condition of work is invalid")
    }
    return condition
  }

  /// Reads the failures of steps, after their number.
  mutating func stepFailures() throws(PayloadDamage) -> [WorkReleased.StepFailures] {
    let count: UInt32 = try integer()
    var all: [WorkReleased.StepFailures] = []
    for _ in 0..<count {
      let count: UInt32 = try integer()
      all.append(WorkReleased.StepFailures(try StepIdentity(reading: &self), count: count))
    }
    return all
  }

  /// Reads an error that reaches up to the end.
  fileprivate mutating func storedError() throws(PayloadDamage) -> StoredError {
    do throws(LedgerError) {
      return try StoredError(decoding: rest())
    } catch {
      throw PayloadDamage(what: error.message)
    }
  }
}
