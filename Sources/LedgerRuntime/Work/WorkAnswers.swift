/// The result of a request to cancel work.
@nonexhaustive public enum WorkCancellation: Sendable, Hashable {
  /// The promise is cancelled.
  case cancelled(PromiseRecord)
  /// The request is recorded: code runs, or may have something to undo, and learns of it.
  case requested(PromiseRecord)
  /// The promise was settled or abandoned before.
  case alreadyEnded(PromiseRecord)
  /// There is no such promise.
  case notFound
}

/// The result of a request to change work.
@nonexhaustive public enum WorkAmendment: Sendable, Hashable {
  /// The work is changed.
  case amended(PromiseRecord)
  /// The code runs, so the work cannot be parked.
  case running(in: SessionID)
  /// The promise was settled or abandoned before.
  case alreadyEnded(PromiseRecord)
  /// There is no such promise.
  case notFound
}
