/// A promise as replay makes it: the facts of its events, payloads still encoded.
///
/// Payloads are decoded when somebody asks, so that replay stays fast.
package struct PromiseEntity: Sendable, Hashable {
  package let id: PromiseID
  package let created: Fact
  package private(set) var resolution: Resolution?
  package private(set) var closing: Closing?

  /// Who wrote an event about the promise, when, and what.
  package struct Fact: Sendable, Hashable {
    package let position: Position
    package let time: Timestamp
    package let session: SessionID
    package let payload: [UInt8]

    init(_ event: borrowing EventView) {
      position = event.position
      time = event.time
      session = event.session
      payload = event.payloadBytes
    }
  }

  package struct Resolution: Sendable, Hashable {
    package let fact: Fact
    package let outcome: OutcomeKind
    package let resolvedAt: Timestamp
    package let attachmentByteCount: Int
  }

  package enum Closing: Sendable, Hashable {
    case consumed(Fact)
    case abandoned(Fact)

    package var fact: Fact {
      switch self {
      case .consumed(let fact), .abandoned(let fact): fact
      }
    }
  }

  package enum Status: Sendable, Hashable {
    case pending, resolved, consumed, abandoned
  }

  package var status: Status {
    switch closing {
    case .consumed: .consumed
    case .abandoned: .abandoned
    case nil: resolution == nil ? .pending : .resolved
    }
  }

  /// The position of the newest event applied.
  package var lastPosition: Position {
    closing?.fact.position ?? resolution?.fact.position ?? created.position
  }

  /// The deadline, also after it passed.
  package var deadline: Timestamp? { PromiseCreated.deadline(ofEncoded: created.payload) }

  /// What the deadline does.
  package var deadlineEffect: DeadlineEffect {
    PromiseCreated.deadlineEffect(ofEncoded: created.payload)
  }

  /// Decodes what the promise was created with.
  package func creation() throws(LedgerError) -> PromiseCreated {
    try PromiseCreated(decoding: created.payload)
  }

  /// Decodes what the promise was resolved with.
  package func resolved() throws(LedgerError) -> PromiseResolved? {
    guard let resolution else { return nil }
    return try PromiseResolved(decoding: resolution.fact.payload)
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
    try event.requireVersion(PromiseCreated.version)
    id = PromiseID(entityID: event.subject)
    created = Fact(event)
    guard PromiseCreated.isWellFormed(created.payload) else {
      throw ReplayProblem(
        .damagedPayload("the payload of promiseCreated is damaged"), at: event.position)
    }
  }

  /// Applies a later event.
  ///
  /// - Precondition: The event comes after ``lastPosition``.
  package mutating func apply(_ event: borrowing EventView) throws(ReplayProblem) {
    assert(event.position > lastPosition, "an event was applied twice")
    switch (event.kind, status) {
    case (.promiseResolved, .pending):
      try event.requireVersion(PromiseResolved.version)
      let fact = Fact(event)
      do throws(LedgerError) {
        let summary = try PromiseResolved.summary(ofEncoded: fact.payload)
        resolution = Resolution(
          fact: fact, outcome: summary.outcome, resolvedAt: summary.resolvedAt,
          attachmentByteCount: event.attachmentByteCount)
      } catch {
        throw ReplayProblem(.damagedPayload(error.message), at: event.position)
      }
    case (.promiseConsumed, .resolved):
      let _: PromiseConsumed = try event.decode()
      closing = .consumed(Fact(event))
    case (.promiseAbandoned, .pending), (.promiseAbandoned, .resolved):
      let _: PromiseAbandoned = try event.decode()
      closing = .abandoned(Fact(event))
    default:
      throw ReplayProblem(
        .illegalTransition("\(event.kind) of a promise that is \(status)"), at: event.position)
    }
  }
}
