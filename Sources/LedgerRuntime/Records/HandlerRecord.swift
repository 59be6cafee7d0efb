/// The ledger's record of one handler at one moment.
public struct HandlerRecord: Sendable, Hashable, Identifiable {
  /// The status of a handler.
  public typealias Status = HandlerStatus

  /// The origin of an event: its writer and its time.
  public typealias Trace = PromiseRecord.Trace

  /// The end of a run.
  public struct Finish: Sendable, Hashable {
    /// The call that ended.
    public let call: CallID
    /// Whether the handler's code or its invalidation code ran.
    public let purpose: UnfinishedCall.Purpose
    /// The run of the call, counted from 1.
    public let attempt: Int
    /// Whether the run returned or failed.
    public let outcome: HandlerCallFinished.Outcome
    /// The event.
    public let trace: Trace
  }

  /// The withdrawal of a handler.
  public struct Invalidation: Sendable, Hashable {
    /// The reason.
    public let reason: String
    /// The event.
    public let trace: Trace
  }

  /// The id of the handler.
  public let id: HandlerID
  /// The stable name of its kind, as it was when the handler was created.
  public let kind: String
  /// The status of the handler.
  public let status: Status
  /// Whether it can be called once or repeatedly.
  public let repetition: HandlerRepetition
  /// The caller's name for it, from which its id is derived.
  public let key: String?
  /// A human-readable text.
  public let label: String?
  /// Names by which handlers are invalidated together.
  public let scopes: [String]
  /// The bound arguments, in the order of names, still encoded.
  public let bound: StoredArguments
  /// The promises and handlers in the bound arguments.
  public let references: HandlerReferences
  /// Its creation.
  public let created: Trace
  /// Its unfinished calls, in the order in which they began.
  ///
  /// - Complexity: O(n log n) in their number.
  public var openCalls: [UnfinishedCall] {
    entity.callsInOrder.map { UnfinishedCall(StartedCall(entity: entity, call: $0)) }
  }
  /// The newest run that ended.
  public let lastFinish: Finish?
  /// Its withdrawal, if it was withdrawn.
  public let invalidation: Invalidation?
  /// The calls are listed on demand: every call of a handler needs a record, and few look at the others.
  private let entity: HandlerEntity

  /// The large values that belong to it and are stored beside its events.
  package var unreadAttachments: Set<AttachmentReference> {
    LedgerEntity.handler(entity).attachments
  }

  init(_ entity: HandlerEntity, bound: StoredArguments) {
    id = entity.id
    kind = entity.kind
    status = entity.status
    repetition = entity.repetition
    key = entity.key
    label = entity.label
    scopes = entity.scopes
    self.bound = bound
    references = entity.bound.references
    created = entity.created
    self.entity = entity
    lastFinish = entity.lastFinish.map { finish in
      Finish(
        call: finish.call, purpose: finish.purpose,
        attempt: Int(finish.attempt), outcome: finish.outcome, trace: finish.fact)
    }
    invalidation = entity.invalidation.map {
      Invalidation(reason: $0.reason, trace: $0.fact)
    }
  }
}
