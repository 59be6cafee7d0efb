import LedgerHistories
package import LedgerPostgreSQLTestSupport
import LedgerSystem
import LedgerTestSupport
package import LedgerWorkerSupport
import PromiseLedgerPostgreSQL
import Synchronization

/// A ledger on a server, which each process reaches through a proxy of its own that loses round trips; and the server
/// ends connections, and crashes.
package final class ServerHistories: HistoryPlace {
  private let server: TestServer
  private let ledger: PostgreSQLLedger
  private let proxies = Mutex<[TestProxy]>([])

  /// One in so many round trips is lost.
  private static let lossInterval = 60
  /// One in so many histories begins with a crash.
  private let crashInterval: Int
  /// One in so many histories loses the connections of a process.
  private static let cutInterval = 4

  /// - Parameter crashInterval: A multiple of 4.
  package init(on server: TestServer, crashInterval: Int) throws {
    self.server = server
    self.crashInterval = crashInterval
    ledger = try server.makePlace()
  }

  package func start(_ name: String, as role: String, seed: Int) throws -> WorkerProcess {
    let proxied = try server.makeProxy()
    let fates = RandomFates(
      seed: UInt64(seed) &+ UInt64(proxies.withLock { $0.count }), interval: Self.lossInterval)
    proxied.proxy.setPlan { [weak proxy = proxied.proxy] _ in
      if fates.releases() { proxy?.release() }
      return fates.next()
    }
    let host = proxies.withLock { proxies in
      proxies.append(proxied)
      return proxies.count
    }
    return try WorkerProcess(
      "histories", on: proxied.connection, ledger, [name, role, "\(seed)"],
      clock: WrongClock(ofHost: host))
  }

  package func prepare(_ history: Int) {
    guard history % Self.cutInterval == 0 else { return }
    let all = proxies.withLock { $0 }
    // Beside the history.
    _ = try? SystemThread.start(name: "fault") { [server, crashInterval] in
      if history > 0, history % crashInterval == 0 { try? server.crash() }
      if let proxied = all.randomElement() {
        try? server.terminateConnections(of: proxied.application)
      }
    }
  }
}
