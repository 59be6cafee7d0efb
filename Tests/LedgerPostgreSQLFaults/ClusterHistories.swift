import LedgerHistories
package import LedgerPostgreSQLTestSupport
import LedgerSystem
package import LedgerWorkerSupport
import Synchronization

/// A ledger on a cluster, some of whose primaries die.
package final class ClusterHistories: HistoryPlace {
  private let cluster: TestCluster
  private let ledger: String
  private let failOverInterval: Int
  private static let count = Atomic<Int>(0)
  /// Whether a standby is being promoted.
  private let isBusy = Atomic<Bool>(false)

  package init(on cluster: TestCluster, failOverInterval: Int) {
    self.cluster = cluster
    self.failOverInterval = failOverInterval
    ledger = "histories \(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
  }

  package func start(_ name: String, as role: String, seed: Int) throws -> WorkerProcess {
    try WorkerProcess(
      ["histories", cluster.connection(), ledger, name, role, "\(seed)"],
      program: WorkerProcess.programOnPostgreSQL)
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
