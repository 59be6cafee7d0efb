package import LedgerRuntime
import LedgerSystem

/// Waits until a process may have written to a ledger that is only inspected.
///
/// It sleeps on the shared words with which sessions wake one another, and changes nothing else. Without
/// permission to write to them it can only look again after a while.
package final class ChangeWatch: Sendable {
  private let doorbell: Doorbell?
  private let pause = WakeSemaphore()

  /// - Parameter path: The file of the shared words; `nil` to do without it.
  init(_ path: String?) {
    // A missing file is not created: it belongs to the sessions.
    guard let path, (try? FileSystem.kind(path)) == .file else {
      doorbell = nil
      return
    }
    doorbell = (try? SharedWords(path: path)).map { Doorbell($0) }
  }

  /// The number of changes so far, as far as it is known. Read it before looking; pass it to `wait`.
  package var count: UInt32 { doorbell?.ringCount ?? 0 }

  /// Sleeps until something may have changed since `count` was read, at most as long as `timeout`.
  @available(*, noasync, message: "blocks the thread")
  package func wait(since count: UInt32, timeout: Duration) {
    if let doorbell {
      _ = doorbell.wait(since: count, timeout: timeout)
    } else {
      _ = pause.wait(timeout: timeout)
    }
  }
}

extension BlockingInspector {
  /// A watch on the ledger. It shows changes at once if the ledger is read with its lock.
  package func makeChangeWatch() -> ChangeWatch {
    ChangeWatch((store as? LMDBInspection)?.changesPath)
  }
}
