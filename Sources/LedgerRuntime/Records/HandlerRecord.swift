/// What a ledger knows about one handler at one moment.
public struct HandlerRecord: Sendable, Hashable, Identifiable {
  /// Where a handler stands.
  public typealias Status = HandlerStatus

  /// Who wrote an event, and when.
  public typealias Trace = PromiseRecord.Trace

  /// The end of a run.
  public struct Finish: Sendable, Hashable {
    /// Which call it was.
    public let call: CallID
    /// Whether the code ran or the invalidation code.
    public let purpose: UnfinishedCall.Purpose
    /// Which run of the call it was, from 1.
    public let attempt: Int
    /// Whether it returned or failed.
    public let outcome: CallOutcome
    /// The event.
    public let trace: Trace
  }

  /// That the handler was withdrawn.
  public struct Invalidation: Sendable, Hashable {
    /// Why.
    public let reason: String
    /// The event.
    public let trace: Trace
  }

  /// The handler.
  public let id: HandlerID
  /// The stable name of its kind, as it was when the handler was created.
  public let kind: String
  /// Where it stands.
  public let status: Status
  /// Whether it can be called once or again and again.
  public let repetition: HandlerRepetition
  /// The caller's name for it, from which its id was made.
  public let key: String?
  /// A text for people.
  public let label: String?
  /// Texts by which handlers are invalidated together.
  public let scopes: [String]
  /// What is bound, in the order of names, still encoded.
  public let bound: StoredArguments
  /// The promises and handlers in what is bound.
  public let references: HandlerReferences
  /// Its creation.
  public let created: Trace
  /// Its calls that are not finished, in the order of their beginnings.
  public let openCalls: [UnfinishedCall]
  /// The newest run that ended.
  public let lastFinish: Finish?
  /// Its end, if it was withdrawn.
  public let invalidation: Invalidation?

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
    openCalls = entity.callsInOrder.map { UnfinishedCall(StartedCall(entity: entity, call: $0)) }
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
