import Dispatch
import LedgerLocks
import Synchronization

/// A Dispatch queue as an executor; it remembers which threads run its callbacks, because Dispatch
/// cannot be asked that about a concurrent queue.
final class DispatchTarget: ExecutorTarget, @unchecked Sendable {
  // @unchecked because its superclass is; its own state is checked.

  private let queue: DispatchQueue
  private let threads = Mutex<Set<ThreadIdentity>>([])

  init(queue: DispatchQueue) {
    self.queue = queue
  }

  override func enqueue(_ job: consuming Job, from context: DrainContext?) {
    let job = consume job
    queue.async { self.run(job) }
  }

  override var isCurrent: Bool {
    let thread = ThreadIdentity.current
    return threads.withLock { $0.contains(thread) }
  }

  private func run(_ job: Job) {
    let thread = ThreadIdentity.current
    let isFirst = threads.withLock { $0.insert(thread).inserted }
    let context = DrainContext(queue: nil)
    job.run(in: context)
    context.runAll()
    if isFirst { _ = threads.withLock { $0.remove(thread) } }
  }
}

/// Whether the calling thread is the main one, or runs the main queue (which on Linux may be lent to
/// another thread).
enum MainThread {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool {
    DispatchQueue.getSpecific(key: key) == true
  }
}
