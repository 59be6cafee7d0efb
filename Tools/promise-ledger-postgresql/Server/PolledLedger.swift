import Foundation
import LedgerVerbs

/// A ledger on a server that a command follows.
///
/// Reading it fails once it was removed from its tables, so there is nothing else to look for.
struct PolledLedger: FollowedLedger {
  let changeCount: UInt32 = 0

  @available(*, noasync, message: "blocks the thread")
  func wait(since count: UInt32, timeout: Duration) {
    Thread.sleep(forTimeInterval: timeout / .seconds(1))
  }

  func check() {}
}
