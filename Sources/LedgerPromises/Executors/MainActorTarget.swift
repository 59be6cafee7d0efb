import Synchronization

/// The main actor as an executor.
final class MainActorTarget: ExecutorTarget, @unchecked Sendable {
  // @unchecked because its superclass is; its own state is checked.

  private let jobs = Mutex(JobFIFO())

  override func enqueue(_ job: consuming Job, from context: DrainContext?) {
    let job = consume job
    jobs.withLock { $0.append(job) }
    // One task for each job, so that callbacks let the main actor's other work in between. Any of them takes
    // the job that came first: so the order does not depend on that of the tasks.
    Task.detached(priority: .userInitiated) { @MainActor in self.runNext() }
  }

  override var isCurrent: Bool { MainThread.isCurrent }

  @MainActor private func runNext() {
    guard let job = jobs.withLock({ $0.popFirst() }) else { return }
    let context = DrainContext(queue: nil)
    job.run(in: context)
    context.runAll()
  }
}
