import LedgerModel
package import LedgerRuntimeTesting
import PromiseLedgerPostgreSQL

extension LedgerStorage {
  /// New ledgers on the server of this process.
  package static let postgreSQL = LedgerStorage { (time) throws(LedgerError) in
    let place: PostgreSQLLedger
    do {
      place = try TestServer.shared.get().makePlace()
    } catch {
      throw LedgerError(.unavailable, "There is no PostgreSQL server to test with.", cause: error)
    }
    let id = LedgerID(entityID: EntityID(high: 0, low: 1))
    return Place(sessions: place.makeSessions()) { () throws(LedgerError) in
      try place.openStore(LedgerMetadata(ledgerID: id, createdAt: time))
    }
  }
}
