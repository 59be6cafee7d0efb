import LedgerModel
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerPostgreSQL

/// A process on another host, for tests to stop and kill:
/// `ledger-postgresql-worker VERB CONNECTION LEDGER DURABILITY ARGUMENT...`, with the number of the durability.
@main
struct PostgreSQLWorkerCommand {
  static func main() async throws {
    var words = CommandLine.arguments.dropFirst()
    func next() throws -> String {
      guard let word = words.popFirst() else { throw WorkerUsageError() }
      return word
    }
    func number() throws -> UInt64 {
      guard let number = UInt64(try next()) else { throw WorkerUsageError() }
      return number
    }
    let verb = try next()
    let connection = try next()
    var place = try PostgreSQLLedger(next(), on: connection, schema: TestServer.schema)
    guard let durability = PostgreSQLLedger.Durability(rawValue: Int(try number())) else {
      throw WorkerUsageError()
    }
    place.requiredDurability = durability
    place.lease = .seconds(5)
    switch verb {
    case "append":
      try Appending(place, session: number(), maximumCount: Int(number())).run()
    case "histories":
      try await Histories(
        place, on: connection, name: next(), role: next(), seed: number()
      ).run()
    case "hold": try await Holding(place).run()
    default: throw WorkerUsageError()
    }
  }
}

/// The error for words that no verb understands.
struct WorkerUsageError: Error {}
