import PromiseLedgerPostgreSQL

/// Keeps a ledger on a PostgreSQL server, as a program that has no LMDB can: `postgresql-client CONNECTION`.
@main
struct PostgreSQLClient {
  static func main() async throws {
    var place = try PostgreSQLLedger("greetings", on: CommandLine.arguments[1])
    // The server is one for tests, which keeps nothing.
    place.requiredDurability = .notSynced
    try await place.createSchema()
    let app = try await Ledger.open(place, as: .app, configuration: configuration("app"))
    let worker = try await Ledger.open(
      place, as: .appExtension, configuration: configuration("worker"))
    let key = try PromiseKey("greeting")
    let promise = try await app.findOrCreatePromise(key: key, of: String.self)
    let same = try await worker.findOrCreatePromise(key: key, of: String.self)
    try await same.fulfill("hello")
    print(try await promise.consume())
    await worker.close()
    await app.close()
  }

  private static func configuration(_ instance: String) -> LedgerConfiguration {
    var configuration = LedgerConfiguration()
    configuration.instance = instance
    return configuration
  }
}
