import Synchronization

/// Runs tasks that block, a few at a time, outside Swift's own threads, which are few.
///
/// It has threads only while there is work to run.
package final class ThreadTaskExecutor: TaskExecutor {
  private struct Queue {
    var jobs: [UnownedJob] = []
    var threadCount = 0
  }

  private let name: String
  private let maximumThreadCount: Int
  private let queue = Mutex(Queue())

  /// - Parameters:
  ///   - name: The name of the threads; Linux keeps the first 15 bytes.
  ///   - maximumThreadCount: By default tasks run one after the other.
  package init(name: String, maximumThreadCount: Int = 1) {
    self.name = name
    self.maximumThreadCount = maximumThreadCount
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let needsThread = queue.withLock { queue in
      queue.jobs.append(job)
      guard queue.threadCount < maximumThreadCount else { return false }
      queue.threadCount += 1
      return true
    }
    guard needsThread else { return }
    do throws(SystemError) {
      _ = try SystemThread.start(name: name) { self.run() }
    } catch {
      // If no thread can be started, the work runs on the caller's.
      run()
    }
  }

  private func run() {
    while let job = next() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func next() -> UnownedJob? {
    queue.withLock { queue in
      guard queue.jobs.isEmpty else { return queue.jobs.removeFirst() }
      queue.threadCount -= 1
      return nil
    }
  }
}
