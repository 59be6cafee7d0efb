/// A call of a handler, or a run of its invalidation code, that began and has not finished.
public struct UnfinishedCall: Sendable, Hashable, Identifiable {
  /// What runs.
  public typealias Purpose = CallPurpose

  /// Names the call through all its attempts.
  public let id: CallID
  /// The handler.
  public let handler: HandlerID
  /// The stable name of the handler's kind.
  public let kind: String
  /// What runs, or ran.
  public let purpose: Purpose
  /// The newest run of the call, from 1.
  public let attempt: Int
  /// The beginning of the first run.
  public let firstStart: HandlerRecord.Trace
  /// The beginning of the newest run, by the session that runs it or ran it.
  public let newestStart: HandlerRecord.Trace
  /// Why it no longer runs; `nil` while its session has not given it back.
  public let release: CallRelease?

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

/// What happens to calls that a session gave back unfinished: because it ended, or froze.
public enum UnfinishedCallPolicy: Sendable, Hashable {
  /// They stay, to be listed and run again on request.
  case keep
  /// They are run again, all at the same time: when the ledger is opened or unfrozen, and when the
  /// session of another process freezes, ends, or is found dead. Each is tried once on each such
  /// occasion.
  ///
  /// Calls that were given back for another reason (``CallRelease/cancelled``,
  /// ``CallRelease/notRunnable``) wait until the app asks for them with ``Ledger/retry(_:with:)``.
  case retry
}
