/// A ledger that a command follows. It may be removed or replaced meanwhile.
package protocol FollowedLedger: Sendable {
  /// The number of changes so far, as far as it is known. Read it before looking; pass it to `wait`.
  var changeCount: UInt32 { get }

  /// Sleeps until something may have changed since `count` was read, at most as long as `timeout`.
  @available(*, noasync, message: "blocks the thread")
  func wait(since count: UInt32, timeout: Duration)

  /// - Throws: ``Status/Failure`` if the ledger was removed or replaced.
  func check() throws
}
