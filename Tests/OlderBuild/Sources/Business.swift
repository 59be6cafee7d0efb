import Foundation
import PromiseLedger
import Synchronization

/// Lives one life after another while other processes run work, and compacts after each.
struct Business {
  let ledger: Ledger
  let name: String
  let archives: String

  func run() async throws {
    let end = End()
    Thread.detachNewThread {
      while readLine() != nil {}
      end.isReached.withLock { $0 = true }
    }
    var round = 0
    while !end.isReached.withLock({ $0 }) {
      round += 1
      try await Life(ledger: ledger, name: "\(name)/\(round)").live()
      try await compact()
    }
  }

  private func compact() async throws {
    var policy = CompactionPolicy()
    policy.eventRetention = .zero
    policy.minimumEventCount = 0
    policy.recordRetention = .zero
    policy.archiveDirectory = archives
    do {
      let report = try await ledger.compact(policy)
      print("compacted \(report.foldedEvents) \(report.deletedEvents) \(report.removedRecords)")
    } catch let error as LedgerError where error.code == .compactionBusy {
    }
  }
}

/// Whether standard input has ended.
private final class End: Sendable {
  let isReached = Mutex(false)
}
