/// A call of a handler, or a run of its invalidation code, that has begun but not finished.
public struct UnfinishedCall: Sendable, Hashable, Identifiable {
  /// The purpose of a run: a call, or the invalidation code.
  public typealias Purpose = HandlerCallPurpose

  /// The id of the call, the same for all attempts.
  public let id: CallID
  /// The id of the handler.
  public let handler: HandlerID
  /// The stable name of the handler's kind.
  public let kind: String
  /// The purpose of the run.
  public let purpose: Purpose
  /// The number of the newest run of the call, counted from 1.
  public let attempt: Int
  /// The beginning of the first run.
  public let firstStart: HandlerRecord.Trace
  /// The beginning of the newest run, by the session that runs it or ran it.
  public let newestStart: HandlerRecord.Trace
  /// The reason why it no longer runs; `nil` until its session gives it back.
  public let release: HandlerCallReleased.Reason?

  package init(_ started: StartedCall) {
    id = started.call.id
    handler = started.entity.id
    kind = started.entity.kind
    purpose = started.call.purpose
    attempt = Int(started.call.attempt)
    firstStart = started.call.firstStart
    newestStart = started.call.newestStart
    release = started.call.release?.reason
  }
}
