public import LedgerPromises
import Synchronization

/// An executor for tests, which runs callbacks on the test's thread when the test calls ``drain(limit:)``.
///
/// ```swift
/// let manual = ManualPromiseExecutor()
/// let (promise, resolver) = Promise.make(of: Int.self, on: manual.executor)
/// promise.done { seen = $0 }
/// resolver.fulfill(1)   // nothing ran
/// manual.drain()        // now it did
/// ```
/// Its promises do not keep it alive: when it is released, or shut down, pending callbacks are dropped, and
/// the promises behind them are rejected.
public final class ManualPromiseExecutor: PromiseExecutorTarget {
  private struct State {
    var jobs: [PromiseJob] = []
    var isShutDown = false

    mutating func takeJobs(_ limit: Int) -> [PromiseJob] {
      guard limit < jobs.count else {
        let taken = jobs
        jobs = []
        return taken
      }
      let taken = Array(jobs.prefix(limit))
      jobs.removeFirst(limit)
      return taken
    }
  }

  private let state = Mutex(State())

  /// Makes an executor without pending callbacks.
  public init() {}

  /// The executor to pass to `on:`.
  public var executor: PromiseExecutor { PromiseExecutor(weakly: self) }

  /// The number of pending callbacks.
  public var count: Int { state.withLock { $0.jobs.count } }

  /// Adds a callback, which `drain` runs.
  public func enqueue(_ job: PromiseJob) {
    state.withLock { state in
      // The caller releases a job that is not kept, after this lock is released.
      if !state.isShutDown { state.jobs.append(job) }
    }
  }

  /// Runs the pending callbacks in order, including those added meanwhile, and returns their number.
  ///
  /// - Parameter limit: The maximum number of callbacks to run.
  @discardableResult
  public func drain(limit: Int = .max) -> Int {
    Self.$current.withValue(ObjectIdentifier(self)) {
      var count = 0
      while count < limit {
        let batch = takeJobs(limit - count)
        if batch.isEmpty { break }
        for job in batch { job.run() }
        count += batch.count
      }
      return count
    }
  }

  /// Drops all pending and future callbacks.
  public func shutDown() {
    let dropped = state.withLock { state in
      state.isShutDown = true
      return state.takeJobs(.max)
    }
    _ = dropped
  }

  /// Whether the calling code runs inside `drain`.
  public var isCurrent: Bool { Self.current == ObjectIdentifier(self) }

  @TaskLocal private static var current: ObjectIdentifier?

  private func takeJobs(_ limit: Int) -> [PromiseJob] {
    state.withLock { $0.takeJobs(limit) }
  }
}
