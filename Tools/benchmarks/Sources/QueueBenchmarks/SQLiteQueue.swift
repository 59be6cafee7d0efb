import Foundation
import GRDB

/// A queue of jobs in SQLite, as a user of GRDB would write it by hand: a row for each job.
///
/// One connection does everything, as SQLite has one writer, so no time is lost on locks.
struct SQLiteQueue {
  struct Job {
    let id: Int64
    let kind: String
    let arguments: Data
  }

  private static let queued = 0
  private static let running = 1
  private static let done = 2

  private let database: DatabaseQueue

  init(at path: String) throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    database = try DatabaseQueue(path: path, configuration: configuration)
    try database.inDatabase { database in
      // So that an acknowledged job survives a power cut, as the ledger's do.
      try database.execute(sql: "PRAGMA synchronous = FULL")
      let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode")
      let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous")
      guard mode == "wal", synchronous == 2 else { throw UnexpectedMode() }
      try database.execute(
        sql: """
          CREATE TABLE job (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, arguments BLOB NOT NULL,
            state INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, created REAL NOT NULL,
            started REAL, finished REAL, result BLOB);
          CREATE INDEX queued ON job(id) WHERE state = \(Self.queued);
          """)
    }
  }

  /// Adds jobs in one transaction.
  func add(_ count: Int) throws {
    try database.write { database in
      let insert = try database.cachedStatement(
        sql: "INSERT INTO job (kind, arguments, state, created) VALUES (?, ?, \(Self.queued), ?)")
      for _ in 0..<count {
        try insert.execute(arguments: ["nothing", Data("{}".utf8), now])
      }
    }
  }

  /// Starts the oldest jobs in one transaction.
  func claim(atMost limit: Int) throws -> [Job] {
    try database.write { database in
      let claim = try database.cachedStatement(
        sql: """
          UPDATE job SET state = \(Self.running), attempts = attempts + 1, started = ?
          WHERE id IN (SELECT id FROM job WHERE state = \(Self.queued) ORDER BY id LIMIT ?)
          RETURNING id, kind, arguments
          """)
      let rows = try Row.fetchCursor(claim, arguments: [now, limit])
      return try Array(
        rows.map { Job(id: $0["id"], kind: $0["kind"], arguments: $0["arguments"]) })
    }
  }

  /// Ends jobs in one transaction.
  func finish(_ jobs: [Job]) throws {
    try database.write { database in
      let finish = try database.cachedStatement(
        sql: "UPDATE job SET state = \(Self.done), finished = ?, result = ? WHERE id = ?")
      for job in jobs {
        try finish.execute(arguments: [now, Data("null".utf8), job.id])
      }
    }
  }

  /// Adds jobs, starts them and ends them, until the time is over.
  ///
  /// - Parameter count: The number of jobs in each transaction.
  /// - Returns: The number of jobs that were done.
  func run(batchesOf count: Int, for duration: Duration) throws -> Int {
    let clock = ContinuousClock()
    let end = clock.now + duration
    var doneCount = 0
    while clock.now < end {
      try add(count)
      let jobs = try claim(atMost: count)
      guard jobs.count == count, jobs.allSatisfy({ $0.kind == "nothing" }) else {
        throw UnexpectedMode()
      }
      try finish(jobs)
      doneCount += jobs.count
    }
    return doneCount
  }

  private var now: Double { Date().timeIntervalSince1970 }
}

/// SQLite does not do what the comparison assumes.
struct UnexpectedMode: Error {}
