package import LedgerPostgreSQLTestSupport
import LedgerSystem
import LedgerTestSupport
package import PromiseLedgerPostgreSQL

/// Where writers append events, and what happens to them there.
package protocol LoadStage: Sendable {
  var database: any TestDatabase { get }
  var place: PostgreSQLLedger { get }

  /// The connection string of a writer, by its number.
  func connection(of writer: Int) -> String

  /// The faults that it has. Each blocks its thread until it is over.
  var faults: [LoadFault] { get }

  /// Lets everything arrive that is late.
  func settle()
}

/// Something that happens to writers.
package struct LoadFault: Sendable {
  package let name: String
  /// Whether no writer can be served meanwhile.
  var isOutage = false
  let strike: @Sendable (inout SeededGenerator) throws -> Void
}

/// One server, which each writer reaches through a proxy of its own, as from a host of its own.
package final class ServerStage: LoadStage {
  private let server: TestServer
  private let proxies: [TestProxy]
  package let place: PostgreSQLLedger

  /// One in so many round trips is lost in one of the three ways.
  private static let lossInterval = 100

  package init(writerCount: Int) throws {
    server = try TestServer()
    place = try server.makePlace()
    proxies = try (0..<writerCount).map { [server] _ in try server.makeProxy() }
    for (number, proxied) in proxies.enumerated() {
      let fates = RandomFates(seed: UInt64(number), interval: Self.lossInterval)
      proxied.proxy.setPlan { [weak proxy = proxied.proxy] _ in
        // What is late comes before some later round trip.
        if fates.releases() { proxy?.release() }
        return fates.next()
      }
    }
  }

  package func settle() { for proxied in proxies { proxied.proxy.release() } }

  package var database: any TestDatabase { server }
  package func connection(of writer: Int) -> String { proxies[writer].connection }

  package var faults: [LoadFault] {
    [
      LoadFault(name: "cut networks") { [proxies] generator in
        proxies.randomElement(using: &generator)?.proxy.cutAll()
      },
      LoadFault(name: "ended backends") { [server, proxies] generator in
        guard let proxied = proxies.randomElement(using: &generator) else { return }
        try server.terminateConnections(of: proxied.application)
      },
      LoadFault(name: "crashed servers") { [server] _ in try server.crash() },
    ]
  }
}

/// A primary and two standbys: the primary dies, and a standby is promoted.
package final class ClusterStage: LoadStage {
  private let cluster: TestCluster
  package let place: PostgreSQLLedger

  package init() throws {
    cluster = try TestCluster()
    place = try cluster.place("load")
  }

  package func settle() {}

  package var database: any TestDatabase { cluster }
  package func connection(of writer: Int) -> String { cluster.connection() }

  package var faults: [LoadFault] {
    [LoadFault(name: "promoted standbys", isOutage: true) { [cluster] _ in try cluster.failOver() }]
  }
}
