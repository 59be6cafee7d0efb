import Foundation
import GRDB

/// A row for each promise in SQLite, which is updated in place: what a user of GRDB writes first.
struct RowContestant: DurableContestant {
  static let schema = """
    CREATE TABLE IF NOT EXISTS promise (
      id INTEGER PRIMARY KEY, type TEXT NOT NULL, label TEXT, state INTEGER NOT NULL, value BLOB,
      created REAL NOT NULL, resolved REAL, consumed REAL)
    """

  /// The state of a promise.
  private static let pending = 0
  private static let resolved = 1
  private static let consumed = 2

  let database: DatabaseQueue

  init(at directory: String, _ synchronous: Synchronous) throws {
    database = try .open(at: directory + "/rows.sqlite", synchronous, schema: Self.schema)
  }

  func create() async throws { _ = try await createRow() }

  func cycle() async throws {
    let id = try await createRow()
    try await resolve(id)
    try await consume(id)
  }

  func createRow() async throws -> Int64 {
    let now = Date().timeIntervalSince1970
    return try await database.write { database in
      try database.cachedStatement(
        sql: "INSERT INTO promise (type, state, created) VALUES ('string', \(Self.pending), ?)"
      ).execute(arguments: [now])
      return database.lastInsertedRowID
    }
  }

  /// The first resolution wins.
  func resolve(_ id: Int64) async throws {
    let now = Date().timeIntervalSince1970
    try await change(
      "state = \(Self.resolved), value = ?, resolved = ?", of: id, ifIn: Self.pending,
      [Data("\"a value of some length\"".utf8), now])
  }

  private func consume(_ id: Int64) async throws {
    let now = Date().timeIntervalSince1970
    try await change(
      "state = \(Self.consumed), consumed = ?", of: id, ifIn: Self.resolved, [now])
  }

  private func change(
    _ assignments: String, of id: Int64, ifIn state: Int, _ arguments: StatementArguments
  ) async throws {
    try await database.write { database in
      try database.cachedStatement(
        sql: "UPDATE promise SET \(assignments) WHERE id = ? AND state = \(state)"
      ).execute(arguments: arguments + [id])
      guard database.changesCount == 1 else { throw UnexpectedMode() }
    }
  }

  func close() async { try? database.close() }
}
