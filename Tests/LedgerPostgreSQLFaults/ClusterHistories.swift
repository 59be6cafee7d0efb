import LedgerHistories
package import LedgerPostgreSQLTestSupport
import LedgerSystem
package import LedgerWorkerSupport
import PromiseLedgerPostgreSQL
import Synchronization

/// A ledger on servers of which one after the other becomes the primary.
package final class ClusterHistories: HistoryPlace {
  private let cluster: any FailoverDatabase
  private let ledger: PostgreSQLLedger
  private let failOverInterval: Int
  private static let count = Atomic<Int>(0)
  private let hostCount = Atomic<Int>(0)
  /// Whether another server is becoming the primary.
  private let isBusy = Atomic<Bool>(false)

  /// - Parameter failOverInterval: One in so many histories begins with a failover.
  package init(on cluster: some FailoverDatabase, failOverInterval: Int) throws {
    self.cluster = cluster
    self.failOverInterval = failOverInterval
    let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    ledger = try cluster.place("histories \(number)")
  }

  package func start(_ name: String, as role: String, seed: Int) throws -> WorkerProcess {
    let host = hostCount.wrappingAdd(1, ordering: .relaxed).newValue
    return try WorkerProcess(
      "histories", on: cluster.connection(), ledger, [name, role, "\(seed)"],
      clock: WrongClock(ofHost: host))
  }

  package func prepare(_ history: Int) {
    guard history > 0, history % failOverInterval == 0,
      !isBusy.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    _ = try? SystemThread.start(name: "fault") { [self] in
      try? cluster.failOver()
      isBusy.store(false, ordering: .releasing)
    }
  }
}
