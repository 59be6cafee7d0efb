import LedgerWorkerSupport
import PromiseLedgerPostgreSQL

extension WorkerProcess {
  /// Starts a process that uses a ledger on a server, as from a host of its own.
  convenience init(
    _ verb: String, on connection: String, _ place: PostgreSQLLedger, _ arguments: [String] = []
  ) throws {
    let durability = "\(place.requiredDurability.rawValue)"
    try self.init(
      [verb, connection, place.name, durability] + arguments,
      program: WorkerProcess.programOnPostgreSQL)
  }
}
