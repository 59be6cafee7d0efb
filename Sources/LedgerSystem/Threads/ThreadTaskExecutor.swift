import Synchronization

/// Runs tasks that block, one after the other, outside of Swift's own threads, which are few.
///
/// It has a thread only as long as there is something to run.
package final class ThreadTaskExecutor: TaskExecutor {
  private struct Queue {
    var jobs: [UnownedJob] = []
    var hasThread = false
  }

  private let name: String
  private let queue = Mutex(Queue())

  /// - Parameter name: Of the thread; Linux keeps the first 15 bytes.
  package init(name: String) {
    self.name = name
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let needsThread = queue.withLock { queue in
      queue.jobs.append(job)
      defer { queue.hasThread = true }
      return !queue.hasThread
    }
    guard needsThread else { return }
    do throws(SystemError) {
      _ = try SystemThread.start(name: name) { self.run() }
    } catch {
      // Without a thread the caller's has to do.
      run()
    }
  }

  private func run() {
    while let job = next() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func next() -> UnownedJob? {
    queue.withLock { queue in
      guard queue.jobs.isEmpty else { return queue.jobs.removeFirst() }
      queue.hasThread = false
      return nil
    }
  }
}
