import Synchronization

/// Runs tasks on a thread that has other work, too, and comes by for them.
package final class HostedTaskExecutor: TaskExecutor {
  private struct Queue {
    var jobs: [UnownedJob] = []
    var isLeft = false
  }

  private let queue = Mutex(Queue())
  private let wakeHost: @Sendable () -> Void
  /// Runs the tasks that come after the host has left.
  private let successor: ThreadTaskExecutor

  /// - Parameters:
  ///   - name: The name of the thread after the host has left; Linux keeps the first 15 bytes.
  ///   - wakeHost: Called when a task becomes ready and no other is.
  package init(name: String, wakeHost: @escaping @Sendable () -> Void) {
    self.wakeHost = wakeHost
    successor = ThreadTaskExecutor(name: name)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (isLeft, isFirst) = queue.withLock { queue in
      if !queue.isLeft { queue.jobs.append(job) }
      return (queue.isLeft, queue.jobs.count == 1)
    }
    if isLeft {
      successor.enqueue(ExecutorJob(job))
    } else if isFirst {
      wakeHost()
    }
  }

  // MARK: The host's side

  /// Whether a task is ready.
  package var isReady: Bool { queue.withLock { !$0.jobs.isEmpty } }

  /// Runs the tasks that are ready on the calling thread. Those that become ready meanwhile wait
  /// for the next call, so that tasks cannot keep the host from its work.
  package func runReady() {
    for job in take() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Leaves the tasks that are ready, and all later ones, to another thread.
  package func leave() {
    for job in take(isLeft: true) { successor.enqueue(ExecutorJob(job)) }
  }

  private func take(isLeft: Bool = false) -> [UnownedJob] {
    queue.withLock { queue in
      queue.isLeft = queue.isLeft || isLeft
      defer { queue.jobs = [] }
      return queue.jobs
    }
  }
}
