import Dispatch
import LedgerLibC
import LedgerLocks
import Synchronization

/// A first-in, first-out queue of jobs, run one at a time on a thread that Dispatch lends while there
/// is something to do.
final class SerialQueue: ExecutorTarget, @unchecked Sendable {
  // @unchecked because its superclass is; its own state is checked.

  private struct State {
    var jobs: [Job] = []
    var isScheduled = false
    var drainer: ThreadIdentity?
  }

  /// How many jobs that came from the drained ones run before the queue looks for others, so that a
  /// chain without end does not keep them waiting for ever.
  private static let burst = 64

  /// How often a thread that ran out of jobs looks again before it goes away: a few microseconds, which
  /// is less than waking another thread costs.
  private static let patience = 400

  /// How often a thread tries the lock before it waits for it.
  private static let lockAttempts = 64

  private let state = Mutex(State())
  /// Whether there are jobs, for a look without the lock.
  private let hasJobs = Atomic(false)
  let dispatchQueue: DispatchQueue

  init(label: String) {
    // Without a quality of its own the queue would take that of the thread that happens to schedule it, and
    // a callback that the user waits for would go as slowly as the one before it.
    self.dispatchQueue = DispatchQueue(label: label, qos: .userInitiated)
  }

  override func enqueue(_ job: consuming Job, from context: DrainContext?) {
    if isLocal(to: context) {
      context?.push(job)
    } else {
      var job: Job? = consume job
      if appendPatiently(&job) { dispatchQueue.async { self.drain() } }
    }
  }

  override func isLocal(to context: DrainContext?) -> Bool {
    context?.queueID == ObjectIdentifier(self)
  }

  /// Adds a job; returns whether the queue has to be scheduled.
  ///
  /// Tries the lock a few times before it waits for it: the lock of a queue is held for some
  /// nanoseconds by each of many threads, and handing it over in the kernel costs a thousand times that.
  ///
  /// - Parameter job: is taken, because the thread that drains may be running the job already when this
  ///   returns, and two threads would count references to it.
  private func appendPatiently(_ job: inout Job?) -> Bool {
    for attempt in 1...Self.lockAttempts {
      if let mustSchedule = state.withLockIfAvailable({ append(&job, to: &$0) }) {
        return mustSchedule
      }
      if attempt.isMultiple(of: 8) { sched_yield() }
    }
    return state.withLock { append(&job, to: &$0) }
  }

  private func append(_ job: inout Job?, to state: inout State) -> Bool {
    if let job = job.take() { state.jobs.append(consume job) }
    if state.jobs.count == 1 { hasJobs.store(true, ordering: .relaxed) }
    guard !state.isScheduled else { return false }
    state.isScheduled = true
    return true
  }

  /// Whether the calling thread runs a job of this queue.
  override var isCurrent: Bool {
    let thread = ThreadIdentity.current
    return state.withLock { $0.drainer == thread }
  }

  private func drain() {
    let context = DrainContext(queue: self)
    let thread = ThreadIdentity.current
    state.withLock { $0.drainer = thread }
    var batch: [Job] = []
    var hasMore = false
    while true {
      if !hasMore { lingerForJobs() }
      let isDone = state.withLock { state in
        if state.jobs.isEmpty {
          guard !hasMore else { return false }
          state.isScheduled = false
          state.drainer = nil
          return true
        }
        swap(&batch, &state.jobs)
        hasJobs.store(false, ordering: .relaxed)
        return false
      }
      if isDone { return }
      context.push(&batch)
      hasMore = context.run(limit: Self.burst)
    }
  }

  private func lingerForJobs() {
    _ = Spin.look(atMost: Self.patience) { hasJobs.load(ordering: .relaxed) }
  }
}
