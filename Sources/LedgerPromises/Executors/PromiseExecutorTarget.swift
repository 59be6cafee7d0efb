import Synchronization

/// A place of your own to run callbacks, such as an event loop or a test's queue.
///
/// ```swift
/// final class LoopTarget: PromiseExecutorTarget {
///   func enqueue(_ job: PromiseJob) { loop.execute { job.run() } }
/// }
/// let executor = PromiseExecutor(LoopTarget())
/// ```
/// Callbacks run in order if the target runs its jobs in the order in which it got them.
public protocol PromiseExecutorTarget: AnyObject, Sendable {
  /// Takes a job to run later.
  ///
  /// It may also drop it: then the promise behind it is rejected with
  /// ``PromiseError/Code/executorGone``. Called without any lock of this library held.
  func enqueue(_ job: PromiseJob)

  /// Whether the calling thread runs a job of this target; a blocking wait is refused then.
  var isCurrent: Bool { get }
}

extension PromiseExecutorTarget {
  /// `false`: the target does not know.
  public var isCurrent: Bool { false }
}

/// One callback that waits for its turn on a ``PromiseExecutorTarget``.
///
/// It runs at most once. If it is released without having run, the promise that it should have settled
/// is rejected, so no observer waits for ever.
public final class PromiseJob: Sendable {
  private let job: Mutex<Job?>

  init(_ job: Job) {
    self.job = Mutex(job)
  }

  deinit {
    takeJob()?.abandon()
  }

  /// Runs the callback, and with it what it settles on the same thread. Later calls do nothing.
  public func run() {
    guard let job = takeJob() else { return }
    let context = DrainContext(queue: nil)
    job.run(in: context)
    context.runAll()
  }

  private func takeJob() -> Job? {
    job.withLock { $0.take() }
  }
}

/// A target of the user, held strongly or weakly.
final class CustomTarget: ExecutorTarget, @unchecked Sendable {
  // @unchecked because its superclass is; its own state is immutable.

  private let strong: (any PromiseExecutorTarget)?
  private weak let reference: (any PromiseExecutorTarget)?

  init(strong target: any PromiseExecutorTarget) {
    self.strong = target
    self.reference = target
  }

  init(weak target: any PromiseExecutorTarget) {
    self.strong = nil
    self.reference = target
  }

  override var isCurrent: Bool { (strong ?? reference)?.isCurrent ?? false }

  override var isGone: Bool { strong == nil && reference == nil }

  override func enqueue(_ job: consuming Job, from context: DrainContext?) {
    guard let target = strong ?? reference else { return job.abandon() }
    target.enqueue(PromiseJob(job))
  }
}
