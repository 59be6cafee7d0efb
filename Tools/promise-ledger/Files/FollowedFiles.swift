import LedgerVerbs
import PromiseLedger

/// The files of a ledger that a command follows.
struct FollowedFiles: FollowedLedger {
  private let directory: FollowedDirectory
  private let changes: ChangeWatch

  init(_ directory: FollowedDirectory, _ changes: ChangeWatch) {
    self.directory = directory
    self.changes = changes
  }

  var changeCount: UInt32 { changes.count }

  @available(*, noasync, message: "blocks the thread")
  func wait(since count: UInt32, timeout: Duration) {
    changes.wait(since: count, timeout: timeout)
  }

  func check() throws { try directory.check() }
}
