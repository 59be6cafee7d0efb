import LedgerBytes

/// The payload of the event that records the result of a step, which no attempt runs again.
public struct WorkStepFinished: EventPayload, Hashable {
  public static let kind = EventKind.workStepFinished

  /// The outcome of a step.
  @nonexhaustive public enum Outcome: UInt8, Sendable, Hashable, CaseIterable {
    /// Its body returned a value.
    case value = 0
    /// Its body failed for the last time.
    case failure = 1
    /// The work was cancelled, and learned of it in place of running the body.
    case cancelled = 2
  }

  /// The number of the attempt that ran the body, from 1.
  public let attempt: UInt32
  /// The identity of the step among those of the work.
  public let step: StepIdentity
  /// The outcome.
  public let outcome: Outcome
  /// The number of times that the body failed, in all attempts.
  public let failureCount: UInt32
  /// The time at which the body was run for the last time.
  public let startedAt: Timestamp
  /// The name of the value's type and encoding; empty without a value.
  public let typeTag: String
  /// The effects of the body, and then its value, its error or the reason of the cancellation, as the article
  /// *File format* says; `nil` if it is large and stored beside the event.
  public private(set) var content: [UInt8]?

  package init(
    attempt: UInt32, step: StepIdentity, outcome: Outcome, failureCount: UInt32 = 0,
    startedAt: Timestamp, typeTag: String = "", effects: [DecidedEffect] = [], result: [UInt8]
  ) {
    self.init(
      attempt: attempt, step: step, outcome: outcome, failureCount: failureCount,
      startedAt: startedAt, typeTag: typeTag,
      content: PromiseResolved.content(effects: effects, then: result))
  }

  private init(
    attempt: UInt32, step: StepIdentity, outcome: Outcome, failureCount: UInt32,
    startedAt: Timestamp, typeTag: String, content: [UInt8]?
  ) {
    self.attempt = attempt
    self.step = step
    self.outcome = outcome
    self.failureCount = failureCount
    self.startedAt = startedAt
    self.typeTag = typeTag
    self.content = content
  }
}

extension WorkStepFinished: AttachablePayload {
  package var attachable: [UInt8]? { content }

  package mutating func detachContent() { content = nil }

  package func check(_ content: [UInt8]) throws(LedgerError) {
    let result = try PromiseResolved.outcome(ofAttempt: content).value
    if outcome == .failure { _ = try StoredError(decoding: result) }
  }

  private enum Flag {
    static let attachment: UInt8 = 1
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags: UInt8 = try reader.integer()
      guard flags <= Flag.attachment else {
        throw PayloadDamage(what: "the flags \(flags) are unknown")
      }
      let outcome: Outcome = try reader.choice("outcome of a step")
      try reader.skip(2)
      return try Self(
        attempt: reader.attempt(), outcome: outcome, isDetached: flags == Flag.attachment,
        reading: &reader)
    }
  }

  private init(
    attempt: UInt32, outcome: Outcome, isDetached: Bool, reading reader: inout PayloadReader
  ) throws(PayloadDamage) {
    let failureCount: UInt32 = try reader.integer()
    try reader.skip(4)
    let startedAt = try reader.timestamp()
    let step = try StepIdentity(reading: &reader)
    let typeTag = try reader.text()
    self.init(
      attempt: attempt, step: step, outcome: outcome, failureCount: failureCount,
      startedAt: startedAt, typeTag: typeTag, content: isDetached ? nil : reader.rest())
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = [content == nil ? Flag.attachment : 0, outcome.rawValue, 0, 0]
    bytes.appendLittleEndian(attempt)
    bytes.appendLittleEndian(failureCount)
    bytes.appendLittleEndian(UInt32(0))
    bytes.appendLittleEndian(startedAt.nanosecondsSinceEpoch)
    step.append(to: &bytes)
    bytes.appendText(typeTag)
    if let content { bytes += content }
    return bytes
  }
}
