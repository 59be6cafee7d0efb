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
    /// The pending jobs that came last, in order.
    var incoming: [PromiseJob] = []
    /// The pending jobs before those, in reverse order.
    var outgoing: [PromiseJob] = []
    var isShutDown = false

    /// Takes the first pending job; constant time on average.
    mutating func popFirst() -> PromiseJob? {
      if outgoing.isEmpty {
        swap(&incoming, &outgoing)
        outgoing.reverse()
      }
      return outgoing.popLast()
    }
  }

  private let state = Mutex(State())

  /// Makes an executor without pending callbacks.
  public init() {}

  /// The executor to pass to `on:`.
  public var executor: PromiseExecutor { PromiseExecutor(weakly: self) }

  /// The number of pending callbacks.
  public var count: Int { state.withLock { $0.incoming.count + $0.outgoing.count } }

  /// Adds a callback, which `drain` runs.
  public func enqueue(_ job: PromiseJob) {
    state.withLock { state in
      // The caller releases a job that is not kept, after this lock is released.
      if !state.isShutDown { state.incoming.append(job) }
    }
  }

  /// Runs the pending callbacks in order, including those added meanwhile, and returns their number.
  ///
  /// A callback may drain the executor too, or shut it down.
  ///
  /// - Parameter limit: The maximum number of callbacks to run.
  @discardableResult
  public func drain(limit: Int = .max) -> Int {
    Self.$current.withValue(ObjectIdentifier(self)) {
      var count = 0
      while count < limit, let job = state.withLock({ $0.popFirst() }) {
        job.run()
        count += 1
      }
      return count
    }
  }

  /// Drops all pending and future callbacks.
  public func shutDown() {
    // Released after the lock is.
    let dropped = state.withLock { state -> [PromiseJob] in
      let former = state
      state = State(isShutDown: true)
      return Array(former.outgoing.reversed()) + former.incoming
    }
    _ = dropped
  }

  /// Whether the calling code runs inside `drain`.
  public var isCurrent: Bool { Self.current == ObjectIdentifier(self) }

  @TaskLocal private static var current: ObjectIdentifier?
}
