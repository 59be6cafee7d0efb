/// The ledger's record of one promise at one moment.
///
/// Two records are equal only if the ledger knows the same of both promises, including what no property shows, such as
/// the arguments of work and the results of its steps. Large arguments and results of steps, which are stored beside
/// their events, are not compared.
public struct PromiseRecord: Sendable, Hashable {
  /// The status of a promise.
  public typealias Status = PromiseStatus

  /// The origin of an event about the promise: its writer and its time.
  public typealias Trace = LedgerEvent.Trace

  /// The id of the promise.
  public let id: PromiseID
  /// The status of the promise.
  public let status: Status
  /// The name of its value's type and encoding.
  public let typeTag: String
  /// The caller's name for it, from which its id is derived.
  public let key: String?
  /// A human-readable text.
  public let label: String?
  /// Texts for finding promises.
  public let tags: [String]
  /// The time at which it resolves by itself, unless it was resolved before.
  public let deadline: Timestamp?
  /// The effect of the deadline.
  public let deadlineEffect: PromiseCreated.DeadlineEffect
  /// Its creation.
  public let created: Trace
  /// The instance of the session that created it, which distinguishes several apps on one ledger.
  ///
  /// It is `nil` if that session no longer has a record, or has one that only a later version can
  /// read. In the answer to a resolution or an abandonment, it is also `nil` if this session never
  /// looked at a promise of that creator.
  public internal(set) var creatorInstance: String?
  /// Its resolution.
  public let resolved: Trace?
  /// Its consumption.
  public let consumed: Trace?
  /// Its abandonment.
  public let abandoned: Trace?
  /// The reason for its abandonment.
  public let abandonReason: String?
  /// The kind of its outcome.
  public let outcomeKind: PromiseOutcomeKind?
  /// Its outcome, with the value still encoded. It is `nil` for a fulfilled joint, whose value is composed of those
  /// of its inputs: read it with ``DurablePromise/outcome``.
  public let outcome: PromiseOutcome<StoredValue>?
  /// The time up to which it is open.
  public let lifetime: PromiseCreated.Lifetime
  /// The work that settles it; `nil` if no code does.
  public let work: WorkRecord?
  /// The promises that settle it; `nil` if it is no joint.
  public let joint: JointRecord?
  /// The work to which it belongs; `nil` if no work created it.
  public let parent: PromiseID?
  /// All that the ledger knows of it, such as the arguments of work and the results of its steps: records that
  /// differ only in these are not equal.
  private let entity: PromiseEntity

  /// The large values that belong to it and are stored beside its events, but for its outcome, which the record has.
  package var unreadAttachments: Set<AttachmentReference> {
    LedgerEntity.promise(entity).attachments.filter {
      $0.position != entity.resolution?.fact.position
    }
  }

  /// Whether it is pending although its deadline has passed. The next writer will resolve it.
  public func isOverdue(at now: Timestamp) -> Bool {
    guard status == .pending, let deadline else { return false }
    return now >= deadline
  }

  /// - Parameter creation: The creation of the entity.
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
    lifetime = creation.lifetime
    work = WorkRecord(entity, creation)
    joint = JointRecord(entity, creation)
    parent = creation.parent
    self.entity = entity
  }
}
