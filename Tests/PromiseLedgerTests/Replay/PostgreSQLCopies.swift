import LedgerModelTestSupport
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerTesting
import Synchronization

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedgerPostgreSQL

/// Ledgers on a server, whose names differ from those of all others.
final class PostgreSQLCopies: ReplayCopies {
  let server: TestServer
  private let places = Mutex<[String: PostgreSQLLedger]>([:])

  init(server: TestServer) { self.server = server }

  private func place(_ name: String) throws -> PostgreSQLLedger {
    try places.withLock { places in
      if let place = places[name] { return place }
      let place = try server.makePlace()
      places[name] = place
      return place
    }
  }

  func makeLedger(_ name: String, from archives: [String]) throws {
    try LedgerImport().makeLedger(at: place(name), from: archives)
  }

  func openStore(_ name: String) throws -> any EventStore {
    try place(name).openStore(
      LedgerMetadata(ledgerID: LedgerID(entityID: .numbered(1)), createdAt: .at(0)))
  }

  func inspect(_ name: String) throws -> BlockingInspector {
    BlockingInspector(try PostgreSQLInspection(place(name)))
  }

  func argument(_ name: String) -> String { name }
}
