import Synchronization

/// The calls that this session is running or about to begin.
///
/// The ledger knows which session began a call; only the session itself knows whether its code still
/// runs. A call is noted here before it begins in the ledger.
final class RunningCalls: Sendable {
  private let contents = Mutex<Set<CallID>>([])

  /// Notes a call; returns `false` if it is already noted.
  func begin(_ id: CallID) -> Bool { contents.withLock { $0.insert(id).inserted } }
  func end(_ id: CallID) { contents.withLock { _ = $0.remove(id) } }
  func contains(_ id: CallID) -> Bool { contents.withLock { $0.contains(id) } }
}
