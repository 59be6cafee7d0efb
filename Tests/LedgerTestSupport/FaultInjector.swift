package import LedgerLMDB
import Synchronization

/// Makes chosen C calls fail, or tells a test that they are about to be made.
///
/// Each belongs to one environment, so tests that run side by side do not interfere. Release builds
/// never use it.
package final class FaultInjector: CallFaults {
  private struct Point: Hashable {
    var operation: LMDBOperation
    var call: Int
  }

  private struct State {
    var counts: [LMDBOperation: Int] = [:]
    var forced: [Point: LMDBStatus] = [:]
    var observers: [Point: @Sendable () -> Void] = [:]
    var fileSystemType: UInt?
    var firedCount = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Makes the `call`-th call of `operation`, counted from 1 and from now, return `status`.
  package func force(_ status: LMDBStatus, on operation: LMDBOperation, call: Int = 1) {
    state.withLock {
      let at = $0.counts[operation, default: 0] + call
      $0.forced[Point(operation: operation, call: at)] = status
    }
  }

  /// Runs `body` right before the `call`-th call of `operation`, counted from 1 and from now.
  package func observe(
    _ operation: LMDBOperation, call: Int = 1, _ body: @escaping @Sendable () -> Void
  ) {
    state.withLock {
      let at = $0.counts[operation, default: 0] + call
      $0.observers[Point(operation: operation, call: at)] = body
    }
  }

  /// Pretends that every path is on a file system of this type (`f_type` of `statfs`).
  package func pretendFileSystem(ofType type: UInt?) {
    state.withLock { $0.fileSystemType = type }
  }

  /// How often `operation` was called, forced failures included.
  package func count(of operation: LMDBOperation) -> Int {
    state.withLock { $0.counts[operation, default: 0] }
  }

  /// How many forced failures happened.
  package var firedCount: Int { state.withLock { $0.firedCount } }

  package var pretendedFileSystemType: UInt? { state.withLock { $0.fileSystemType } }

  package func next(_ operation: LMDBOperation) -> LMDBStatus? {
    let (observer, status) = state.withLock { state in
      state.counts[operation, default: 0] += 1
      let point = Point(operation: operation, call: state.counts[operation, default: 0])
      let status = state.forced.removeValue(forKey: point)
      if status != nil { state.firedCount += 1 }
      return (state.observers.removeValue(forKey: point), status)
    }
    // Outside the lock: an observer may pause the process, or ask for a count.
    observer?()
    return status
  }
}
