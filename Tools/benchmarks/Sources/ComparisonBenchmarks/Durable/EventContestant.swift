import Foundation
import GRDB

/// A row for each event of a promise in SQLite, so that the history is kept, as the ledger's is.
struct EventContestant: DurableContestant {
  private static let schema = """
    CREATE TABLE IF NOT EXISTS event (
      id INTEGER PRIMARY KEY, promise BLOB NOT NULL, kind TEXT NOT NULL, time REAL NOT NULL,
      payload BLOB);
    CREATE INDEX IF NOT EXISTS eventsOfPromise ON event (promise);
    """

  private let database: DatabaseQueue

  init(at directory: String, _ synchronous: Synchronous) throws {
    database = try .open(at: directory + "/events.sqlite", synchronous, schema: Self.schema)
  }

  func create() async throws { try await append("created", to: Self.newID(), after: nil) }

  func cycle() async throws {
    let id = Self.newID()
    try await append("created", to: id, after: nil)
    try await append(
      "resolved", to: id, after: "created", Data("\"a value of some length\"".utf8))
    try await append("consumed", to: id, after: "resolved")
  }

  /// Appends an event, if the last one of the promise is the expected one.
  private func append(
    _ kind: String, to id: Data, after last: String?, _ payload: Data? = nil
  ) async throws {
    let now = Date().timeIntervalSince1970
    try await database.write { database in
      if let last {
        let look = try database.cachedStatement(
          sql: "SELECT kind FROM event WHERE promise = ? ORDER BY id DESC LIMIT 1")
        guard try String.fetchOne(look, arguments: [id]) == last else { throw UnexpectedMode() }
      }
      try database.cachedStatement(
        sql: "INSERT INTO event (promise, kind, time, payload) VALUES (?, ?, ?, ?)"
      ).execute(arguments: [id, kind, now, payload])
    }
  }

  private static func newID() -> Data {
    withUnsafeBytes(of: UUID().uuid) { unsafe Data($0) }
  }

  func close() async { try? database.close() }
}
