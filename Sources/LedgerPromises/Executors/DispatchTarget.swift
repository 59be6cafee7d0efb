import Dispatch
import LedgerLocks
import Synchronization

/// A Dispatch queue as an executor.
final class DispatchTarget: ExecutorTarget, @unchecked Sendable {
  // @unchecked because its superclass is; its own state is checked.

  private let queue: DispatchQueue
  /// Marks the queue, and so every block that runs there, also one that is no callback of a promise. The
  /// queues of the system cannot be marked.
  private let mark: DispatchSpecificKey<Bool>?
  /// The threads that run callbacks on a queue without a mark.
  private let threads = Mutex<Set<ThreadIdentity>>([])

  init(queue: DispatchQueue) {
    self.queue = queue
    self.mark = queue.label.hasPrefix("com.apple.root.") ? nil : DispatchSpecificKey()
    if let mark { queue.setSpecific(key: mark, value: true) }
  }

  deinit {
    // Or another key with the same address would find it.
    if let mark { queue.setSpecific(key: mark, value: nil) }
  }

  override func enqueue(_ job: consuming Job, from context: DrainContext?) {
    let job = consume job
    queue.async { self.run(job) }
  }

  override var isCurrent: Bool {
    if let mark { return DispatchQueue.getSpecific(key: mark) == true }
    let thread = ThreadIdentity.current
    return threads.withLock { $0.contains(thread) }
  }

  private func run(_ job: Job) {
    guard mark == nil else { return runNow(job) }
    let thread = ThreadIdentity.current
    let isFirst = threads.withLock { $0.insert(thread).inserted }
    runNow(job)
    if isFirst { _ = threads.withLock { $0.remove(thread) } }
  }

  private func runNow(_ job: Job) {
    let context = DrainContext(queue: nil)
    job.run(in: context)
    context.runAll()
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
