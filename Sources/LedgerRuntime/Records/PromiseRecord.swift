/// What a ledger knows about one promise at one moment.
public struct PromiseRecord: Sendable, Hashable {
  /// Where a promise stands.
  public typealias Status = PromiseStatus

  /// Who wrote an event about the promise, and when.
  public typealias Trace = Fact

  /// The promise.
  public let id: PromiseID
  /// Where it stands.
  public let status: Status
  /// The name of its value's type and encoding.
  public let typeTag: String
  /// The caller's name for it, from which its id was made.
  public let key: String?
  /// A text for people.
  public let label: String?
  /// Texts for finding promises.
  public let tags: [String]
  /// When it resolves by itself, unless it was resolved before.
  public let deadline: Timestamp?
  /// What the deadline does.
  public let deadlineEffect: DeadlineEffect
  /// Its creation.
  public let created: Trace
  /// Which of several apps on one ledger created it: the instance of its creating session. `nil` if
  /// that session has no record any more, or one that only a later version can read; and in the answer to
  /// a resolution or an abandonment, if this session never looked at a promise of that creator.
  public internal(set) var creatorInstance: String?
  /// Its resolution.
  public let resolved: Trace?
  /// Its consumption.
  public let consumed: Trace?
  /// Its abandonment.
  public let abandoned: Trace?
  /// Why it was abandoned.
  public let abandonReason: String?
  /// Which outcome it has.
  public let outcomeKind: OutcomeKind?
  /// Its outcome, with the value still encoded.
  public let outcome: PromiseOutcome<StoredValue>?

  /// Whether it is pending although its deadline passed: the next writer will resolve it.
  public func isOverdue(at now: Timestamp) -> Bool {
    guard status == .pending, let deadline else { return false }
    return now >= deadline
  }

  /// - Parameter creation: As the entity was created.
  init(_ entity: PromiseEntity, _ creation: PromiseCreated, outcome: PromiseOutcome<StoredValue>?) {
    id = entity.id
    status = entity.status
    typeTag = creation.typeTag
    key = creation.key
    label = creation.label
    tags = creation.tags
    deadline = creation.deadline
    deadlineEffect = creation.deadlineEffect
    created = entity.created
    var resolved = entity.resolution?.fact
    if let resolution = entity.resolution { resolved?.time = resolution.resolvedAt }
    self.resolved = resolved
    var consumed: Trace?
    var abandoned: Trace?
    var reason: String?
    switch entity.closing {
    case .consumed(let fact, _):
      consumed = fact
    case .abandoned(let fact, let why):
      abandoned = fact
      reason = why
    case nil:
      break
    }
    self.consumed = consumed
    self.abandoned = abandoned
    abandonReason = reason
    outcomeKind = outcome?.kind ?? entity.resolution?.outcome
    self.outcome = outcome
  }
}
