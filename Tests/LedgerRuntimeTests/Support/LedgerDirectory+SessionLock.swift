@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

extension LedgerDirectory {
  /// The path of a session's lock file.
  func sessionLock(_ id: SessionID) -> String { "\(sessions)/\(id).lock" }
}
