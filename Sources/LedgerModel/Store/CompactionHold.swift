/// A store's lock of compaction while it is held.
package protocol CompactionHold: AnyObject, Sendable {
  /// Gives it back; twice is harmless. Also after the store was closed.
  func release()
}
