/// The status of a promise.
@nonexhaustive public enum PromiseStatus: Sendable, Hashable {
  /// The promise has no outcome yet.
  case pending
  /// The promise has an outcome that was not consumed yet.
  case resolved
  /// The outcome was delivered to the app.
  case consumed
  /// The promise was abandoned permanently.
  case abandoned
}

/// A promise as rebuilt by replay: the facts of its events, with payloads still encoded.
///
/// Payloads are decoded on demand, so that replay stays fast.
package struct PromiseEntity: Sendable, Hashable {
  package let id: PromiseID
  package let created: LedgerEvent.Trace
  /// The encoded payload of the creation.
  let creationPayload: [UInt8]
  package private(set) var resolution: Resolution?
  package private(set) var closing: Closing?
  /// At most one element. An empty array takes little memory, and most promises have no progress.
  private var work: [WorkProgress]

  init(
    id: PromiseID, created: LedgerEvent.Trace, creationPayload: [UInt8], resolution: Resolution?,
    closing: Closing?, progress: WorkProgress? = nil
  ) {
    self.id = id
    self.created = created
    self.creationPayload = creationPayload
    self.resolution = resolution
    self.closing = closing
    work = progress.map { [$0] } ?? []
  }

  package struct Resolution: Sendable, Hashable {
    package let fact: LedgerEvent.Trace
    package let payload: [UInt8]
    package let attachmentByteCount: Int

    package var outcome: PromiseOutcomeKind { PromiseResolved.outcome(ofEncoded: payload) }
    package var resolvedAt: Timestamp { PromiseResolved.resolvedAt(ofEncoded: payload) }
  }

  package enum Closing: Sendable, Hashable {
    case consumed(LedgerEvent.Trace, PromiseConsumed.Delivery)
    case abandoned(LedgerEvent.Trace, reason: String)

    package var fact: LedgerEvent.Trace {
      switch self {
      case .consumed(let fact, _), .abandoned(let fact, _): fact
      }
    }
  }

  package var status: PromiseStatus {
    switch closing {
    case .consumed: .consumed
    case .abandoned: .abandoned
    case nil:
      // Not compared with `nil`, which compares two resolutions and takes as long as an event.
      switch resolution {
      case nil: .pending
      case .some: .resolved
      }
    }
  }

  /// Whether further events of the promise are possible: it is neither consumed nor abandoned, and not settled
  /// if it is open only until then.
  @inline(__always)
  package var isOpen: Bool {
    switch status {
    case .pending: true
    case .resolved: !endsWhenSettled
    case .consumed, .abandoned: false
    }
  }

  /// Whether the promise is open only until it is settled.
  @inline(__always)
  package var endsWhenSettled: Bool {
    PromiseCreated.lifetime(ofEncoded: creationPayload) == .untilSettled
  }

  /// Whether the promise is settled by code.
  @inline(__always)
  package var isWork: Bool { PromiseCreated.isWork(encoded: creationPayload) }

  /// Whether code or other promises settle the promise.
  @inline(__always)
  package var isComputed: Bool { PromiseCreated.isComputed(encoded: creationPayload) }

  /// Whether other promises settle the promise.
  package var isJoint: Bool { PromiseCreated.isJoint(encoded: creationPayload) }

  /// The inputs and the rule, if other promises settle the promise.
  package var joint: PromiseCreated.Joint? { isJoint ? (try? creation())?.joint : nil }

  /// Whether the first version of the format cannot represent the promise.
  @inline(__always)
  package var isExtended: Bool { PromiseCreated.isExtended(encoded: creationPayload) }

  /// The progress of the work; `nil` before its first event, or if the promise is not settled by code.
  package var progress: WorkProgress? { work.first }

  /// The position of the newest event applied.
  package var lastPosition: Position {
    closing?.fact.position ?? resolution?.fact.position ?? work.first?.lastPosition
      ?? created.position
  }

  /// The deadline, even after it has passed.
  package var deadline: Timestamp? { PromiseCreated.deadline(ofEncoded: creationPayload) }

  /// The effect of the deadline.
  package var deadlineEffect: PromiseCreated.DeadlineEffect {
    PromiseCreated.deadlineEffect(ofEncoded: creationPayload)
  }

  /// Decodes the payload of the creation.
  package func creation() throws(LedgerError) -> PromiseCreated {
    try PromiseCreated(decoding: creationPayload)
  }

  /// The name of the value's type, read without decoding the rest of the creation.
  package func typeTag() throws(LedgerError) -> String {
    try PromiseCreated.typeTag(ofEncoded: creationPayload)
  }

  /// Whether the payloads are seen to be intact without decoding them; otherwise, decoding may fail.
  package var isSurelyIntact: Bool {
    isCreationSurelyIntact
      && resolution.map { PromiseResolved.isSurelyIntact(encoded: $0.payload) } ?? true
  }

  /// Whether the payload of the creation is seen to be intact without decoding it; otherwise, decoding may fail.
  var isCreationSurelyIntact: Bool { PromiseCreated.isSurelyIntact(encoded: creationPayload) }

  /// Whether the promise was rejected or timed out.
  package var failed: Bool {
    switch resolution?.outcome {
    case .rejected, .timedOut: true
    case .fulfilled, .cancelled, nil: false
    }
  }

  /// Whether the promise is pending although its deadline has passed.
  package func isOverdue(at now: Timestamp) -> Bool {
    guard status == .pending, let deadline else { return false }
    return now >= deadline
  }

  /// Decodes the payload of the resolution.
  package func resolved() throws(LedgerError) -> PromiseResolved? {
    guard let resolution else { return nil }
    return try PromiseResolved(decoding: resolution.payload)
  }
}

// MARK: - Reducer

extension PromiseEntity {
  /// Applies the first event of a promise.
  package init(creating event: borrowing EventView) throws(ReplayProblem) {
    guard event.kind == .promiseCreated else {
      throw ReplayProblem(
        .illegalTransition("\(event.kind) of a promise that was never created"), at: event.position)
    }
    try event.requireVersion(PromiseCreated.newestVersion)
    let payload = event.payloadBytes
    guard PromiseCreated.isWellFormed(payload) else {
      throw ReplayProblem(
        .damagedPayload("the payload of promiseCreated is damaged"), at: event.position)
    }
    try event.requireLowestVersion(isSecond: PromiseCreated.isExtended(encoded: payload))
    try event.requireAttachment(if: PromiseCreated.isDetached(encoded: payload))
    let created = LedgerEvent.Trace(event)
    let hasProgress = event.attachmentByteCount > 0 && PromiseCreated.isWork(encoded: payload)
    self.init(
      id: PromiseID(entityID: event.subject), created: created, creationPayload: payload,
      resolution: nil, closing: nil,
      progress: hasProgress
        ? WorkProgress(created, attachmentByteCount: event.attachmentByteCount) : nil)
  }

  /// Applies a later event.
  ///
  /// - Precondition: The event comes after ``lastPosition``.
  package mutating func apply(_ event: borrowing EventView) throws(ReplayProblem) {
    assert(event.position > lastPosition, "an event was applied twice")
    switch (event.kind, status) {
    case (.promiseResolved, .pending):
      try event.requireVersion(PromiseResolved.newestVersion)
      let payload = event.payloadBytes
      guard PromiseResolved.isWellFormed(payload) else {
        throw ReplayProblem(
          .damagedPayload("the payload of promiseResolved is damaged"), at: event.position)
      }
      let isOfAttempt = PromiseResolved.isOfAttempt(encoded: payload)
      try event.requireLowestVersion(isSecond: isOfAttempt)
      if isOfAttempt { try requireNewestAttempt(event) }
      try event.requireAttachment(if: PromiseResolved.isDetached(encoded: payload))
      resolution = Resolution(
        fact: LedgerEvent.Trace(event), payload: payload,
        attachmentByteCount: event.attachmentByteCount)
      dropSteps()
    case (.workStarted, .pending), (.workReleased, .pending), (.workStepFinished, .pending),
      (.workCancelRequested, .pending), (.workAmended, .pending):
      guard isWork else { throw event.doesNotFit("a promise that is not settled by code") }
      var progress = work.first ?? WorkProgress(created, attachmentByteCount: 0)
      try progress.apply(event)
      work = [progress]
    case (.promiseConsumed, .resolved) where !endsWhenSettled:
      closing = .consumed(LedgerEvent.Trace(event), try event.delivery)
    case (.promiseAbandoned, .pending),
      (.promiseAbandoned, .resolved) where !endsWhenSettled:
      closing = .abandoned(
        LedgerEvent.Trace(event), reason: try event.decode(as: PromiseAbandoned.self).reason)
      dropSteps()
    default:
      throw ReplayProblem(
        .illegalTransition("\(event.kind) of a promise that is \(status)"), at: event.position)
    }
  }
}

extension PromiseEntity {
  /// Drops the results of steps, which no attempt needs any more.
  private mutating func dropSteps() {
    guard let progress,
      !progress.steps.isEmpty || !progress.stepFailures.isEmpty || !progress.awaited.isEmpty
    else { return }
    work[0].dropSteps()
  }

  /// Refuses the outcome of an attempt that is not the newest, or was released.
  private func requireNewestAttempt(_ event: borrowing EventView) throws(ReplayProblem) {
    let attempt: PromiseResolved = try event.decode()
    guard let progress, progress.runningSession == event.session,
      progress.attempt == attempt.attempt
    else {
      throw event.doesNotFit(
        "work whose attempt \(attempt.attempt ?? 0) does not run in the session")
    }
  }
}

extension EventView {
  /// Refuses a payload that is not of the lowest version that can represent it.
  ///
  /// - Parameter isSecond: Whether only version 2 can represent the payload.
  @inline(__always)
  fileprivate func requireLowestVersion(isSecond: Bool) throws(ReplayProblem) {
    guard isSecond == (version > 1) else {
      throw ReplayProblem(
        .damagedPayload("the payload of \(kind) is not of version \(version)"), at: position)
    }
  }
}

extension EventView {
  /// Refuses an event whose payload says something else of its attachment.
  ///
  /// - Parameter isExpected: Whether a part of the payload is stored beside the event.
  @inline(__always)
  func requireAttachment(if isExpected: Bool) throws(ReplayProblem) {
    guard isExpected == (attachmentByteCount > 0) else {
      throw ReplayProblem(
        .damagedPayload(
          "a part of the payload of \(kind) is \(isExpected ? "missing" : "there twice")"),
        at: position)
    }
  }
}

extension EventView {
  /// The delivery that a consumption records. It is read in place, so that replay stays fast.
  fileprivate var delivery: PromiseConsumed.Delivery {
    get throws(ReplayProblem) {
      try requireVersion(PromiseConsumed.newestVersion)
      if payloadByteCount == 1, let delivery = PromiseConsumed.Delivery(rawValue: payload[0]) {
        return delivery
      }
      return try decode(as: PromiseConsumed.self).delivery
    }
  }
}

// MARK: - Invariants

extension PromiseEntity {
  /// Whether the events came in a possible order.
  var isConsistent: Bool {
    let positions = [
      created.position, progress?.lastPosition, resolution?.fact.position, closing?.fact.position,
    ].compactMap(\.self)
    return zip(positions, positions.dropFirst()).allSatisfy(<=)
      && (status != .consumed || resolution != nil)
      && (isOpen || !endsWhenSettled || closing == nil || resolution == nil)
      && (progress.map { isWork && $0.isConsistent(since: created.position) } ?? true)
  }
}
