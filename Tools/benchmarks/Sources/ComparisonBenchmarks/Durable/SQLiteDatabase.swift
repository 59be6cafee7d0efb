import GRDB

/// How much of a commit survives the loss of power.
enum Synchronous: String, CaseIterable, Sendable {
  /// Each commit, as with the ledger.
  case full = "FULL"
  /// Commits up to the last checkpoint.
  case normal = "NORMAL"
}

/// SQLite does not do what the comparison assumes.
struct UnexpectedMode: Error {}

extension DatabaseQueue {
  /// Opens a database in WAL mode, and makes its tables if they are missing.
  static func open(
    at path: String, _ synchronous: Synchronous, schema: String
  ) throws -> DatabaseQueue {
    let database = try DatabaseQueue(path: path, configuration: .comparison)
    try database.inDatabase { database in
      try database.requireMode(synchronous)
      try database.execute(sql: schema)
    }
    return database
  }
}

extension Configuration {
  /// WAL mode; a transaction waits for those of other processes.
  static var comparison: Configuration {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(10)
    return configuration
  }
}

extension Database {
  fileprivate func requireMode(_ synchronous: Synchronous) throws {
    try execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)")
    let mode = try String.fetchOne(self, sql: "PRAGMA journal_mode")
    let level = try Int.fetchOne(self, sql: "PRAGMA synchronous")
    guard mode == "wal", level == (synchronous == .full ? 2 : 1) else { throw UnexpectedMode() }
  }
}

extension Error {
  /// Whether another process kept SQLite waiting for too long.
  var isBusy: Bool { (self as? DatabaseError)?.resultCode == .SQLITE_BUSY }
}
