import Synchronization

/// The state that the lanes of a run share.
final class PowerLossProgress: Sendable {
  private struct Check: Hashable {
    let fingerprint: UInt64
    let ledger: String
    let acknowledged: Acknowledgement
  }

  private struct Contents {
    var seen: Set<Check> = []
    var stateCount = 0
    var failureCount = 0
  }

  private let limit: Int
  private let failureLimit: Int
  private let contents = Mutex(Contents())

  init(limit: Int, failureLimit: Int) {
    self.limit = limit
    self.failureLimit = failureLimit
  }

  var isOver: Bool {
    contents.withLock { $0.stateCount >= limit || $0.failureCount >= failureLimit }
  }

  func isNew(_ fingerprint: UInt64, _ ledger: String, _ acknowledged: Acknowledgement) -> Bool {
    let check = Check(fingerprint: fingerprint, ledger: ledger, acknowledged: acknowledged)
    return contents.withLock { $0.seen.insert(check).inserted }
  }

  func looked() { contents.withLock { $0.stateCount += 1 } }

  func failed() { contents.withLock { $0.failureCount += 1 } }
}
