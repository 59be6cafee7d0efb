/// The place to which an executor hands its jobs. One reference, so that promises copy executors cheaply.
@usableFromInline
class ExecutorTarget: @unchecked Sendable {
  // @unchecked because a class with subclasses cannot be checked; they have immutable or locked state.

  init() {}

  /// Whether the calling thread runs a job of this target.
  var isCurrent: Bool { false }

  /// Whether it would drop every job.
  var isGone: Bool { false }

  /// Takes a job to run later, from a thread that is running `context`, if any.
  func enqueue(_ job: consuming Job, from context: DrainContext?) {
    preconditionFailure("every target says where its jobs run")
  }

  /// Whether a thread that is running `context` may enqueue without leaving its own queues.
  func isLocal(to context: DrainContext?) -> Bool { false }
}

/// The thread that settles.
final class InlineTarget: ExecutorTarget, @unchecked Sendable {
  // @unchecked because its superclass is; it has no state.

  override func enqueue(_ job: consuming Job, from context: DrainContext?) {
    // In no other context: the callback settles a promise by hand, and finds the trampoline only.
    if let context, context.isTrampoline {
      context.pushDirect(consume job)
    } else {
      InlineTrampoline.run(consume job)
    }
  }

  override func isLocal(to context: DrainContext?) -> Bool { context?.isTrampoline == true }
}
