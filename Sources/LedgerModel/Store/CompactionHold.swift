/// A store's compaction lock while it is held.
public protocol CompactionHold: AnyObject, Sendable {
  /// Releases the lock. Releasing it twice, or after the store was closed, is harmless.
  func release()
}
