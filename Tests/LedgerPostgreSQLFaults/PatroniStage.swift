package import LedgerPostgreSQLTestSupport
package import PromiseLedgerPostgreSQL

/// Servers that Patroni runs.
package final class PatroniStage: LoadStage {
  private let cluster: PatroniCluster
  private let causes: [PatroniCluster.Fault]
  package let place: PostgreSQLLedger

  /// - Parameter causes: Why another server becomes the primary.
  package init(on cluster: PatroniCluster, causes: [PatroniCluster.Fault]) throws {
    (self.cluster, self.causes) = (cluster, causes)
    place = try cluster.place("load")
  }

  package func settle() {}

  package var database: any TestDatabase { cluster }
  package func connection(of writer: Int) -> String { cluster.connection() }

  package var faults: [LoadFault] {
    causes.map { [cluster] cause in
      LoadFault(name: Self.name(of: cause), isOutage: true) { _ in try cluster.failOver(by: cause) }
    }
  }

  private static func name(of cause: PatroniCluster.Fault) -> String {
    switch cause {
    case .switchover: "switchovers"
    case .kill: "killed primaries"
    case .freeze: "frozen primaries"
    case .cutOff: "cut-off primaries"
    }
  }
}
