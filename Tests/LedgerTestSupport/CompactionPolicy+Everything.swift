package import LedgerRuntime

extension CompactionPolicy {
  /// Lets everything go that may go.
  ///
  /// - Parameter directory: Where events are archived; `nil` for no archive.
  package static func everything(archivedIn directory: String? = nil) -> CompactionPolicy {
    var policy = CompactionPolicy()
    policy.eventRetention = .zero
    policy.minimumEventCount = 0
    policy.recordRetention = .zero
    policy.archiveDirectory = directory
    return policy
  }
}
