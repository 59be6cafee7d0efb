/// The history of one work promise as spans of time: its attempts, their steps, and what the work waited for in
/// between.
///
/// It is made of the events of the promise. Where these were deleted, its record fills in what it still has: the
/// creation, the finished steps of pending work, the newest attempt, and the outcome.
public struct WorkTrace: Sendable, Hashable {
  /// The promise.
  public let id: PromiseID
  /// The stable name of the kind of its work.
  public let kind: String
  /// The creation of the promise.
  public let created: LedgerEvent.Trace
  /// The time for which the trace holds. A span without an end had not ended by then.
  public let time: Timestamp
  /// The number of attempts that were started, including those whose events were deleted.
  public let attemptCount: Int
  /// The position up to which events were deleted, if events of the promise may be among them.
  public let eventsDeletedThrough: Position?
  /// The spans, in the order of their starts.
  public let spans: [Span]

  /// The time of the last event, or ``time`` if the promise is pending.
  public var end: Timestamp {
    let isOver = spans.contains { $0.content.isEnd }
    let last = spans.map { $0.end ?? $0.start }.max() ?? created.time
    return isOver ? last : max(last, time)
  }
}

extension WorkTrace {
  /// A part of the history of work.
  public struct Span: Sendable, Hashable {
    /// The sort of span, and its facts.
    public let content: Content
    /// Its start.
    ///
    /// Clocks jump. A time that is before that of an earlier event of the work counts as that time.
    public let start: Timestamp
    /// Its end; `nil` if it has not ended, and equal to the start for a moment, such as a request.
    public let end: Timestamp?
    /// The event that began it; for a step, the event that recorded its end.
    public let position: Position
    /// The session that wrote that event.
    public let session: SessionID
  }

  /// The sort of a span.
  @nonexhaustive public enum Content: Sendable, Hashable {
    /// No attempt was started yet.
    case queued(WorkTrigger)
    /// The events of this time were deleted, except for the steps that the record has.
    case deleted
    /// A session ran the code.
    case attempt(Attempt)
    /// A step of the code ran.
    case step(Step)
    /// A pause of the code, up to a time that is kept like the result of a step.
    case pause(StepIdentity, attempt: Int, until: Timestamp)
    /// No attempt ran, since one was released.
    case idle(WorkReleased)
    /// The cancellation of the work was requested.
    case cancelRequest(reason: String)
    /// An operator changed the work.
    case amendment(WorkAmended)
    /// The promise was settled; the error is that of a rejection, unless it is large.
    case settlement(PromiseOutcomeKind, StoredError?)
    /// The promise was abandoned.
    case abandonment(reason: String)
    /// An event that this build cannot read, because it is of a later version or damaged.
    case unreadable(EventKind, isDamaged: Bool)

    /// Whether nothing can follow.
    var isEnd: Bool {
      switch self {
      case .settlement, .abandonment: true
      case .queued, .deleted, .attempt, .step, .pause, .idle, .cancelRequest, .amendment,
        .unreadable:
        false
      }
    }
  }

  /// One run of the code of work.
  public struct Attempt: Sendable, Hashable {
    /// The number of the attempt, from 1.
    public let number: Int
    /// Whether it was started although the attempt before it had not ended.
    public let tookOver: Bool
    /// Its end; `nil` while it runs.
    public internal(set) var end: AttemptEnd?
    /// The time of the last event that its session recorded. If the process of the attempt died, or another
    /// session took over, the end is when that was found, which may be long after.
    public internal(set) var lastSign: Timestamp
  }

  /// The end of an attempt.
  @nonexhaustive public enum AttemptEnd: Sendable, Hashable {
    /// It was released without an outcome.
    case released(WorkReleased)
    /// Another session started the next attempt.
    case tookOver(by: SessionID)
    /// The promise was settled; by another session or an operator if it was not by the code.
    case settled(PromiseOutcomeKind, byCode: Bool)
    /// The promise was abandoned.
    case abandoned
  }

  /// One finished step of work.
  public struct Step: Sendable, Hashable {
    /// Its name, and its key or occurrence.
    public let identity: StepIdentity
    /// The number of the attempt that ran its body for the last time.
    public let attempt: Int
    /// The number of times that the body failed, in all attempts.
    public let failureCount: Int
    /// Its outcome.
    public let outcome: StepOutcome
  }

  /// The outcome of a step, which no attempt changes.
  @nonexhaustive public enum StepOutcome: Sendable, Hashable {
    /// Its body returned a value. The bytes are `nil` if they are large and stored beside the event.
    case value(typeTag: String, bytes: [UInt8]?)
    /// Its body failed for the last time. The error is `nil` if it is large and stored beside the event.
    case failure(StoredError?)
    /// The work was cancelled, and the code learned of it in place of running the body.
    case cancelled(reason: String)
  }
}
