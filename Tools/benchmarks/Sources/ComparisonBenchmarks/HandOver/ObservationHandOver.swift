import GRDB

/// GRDB observes the row in the other process. It does not see the commits of other processes, so it is told when the
/// version of the database has changed.
struct ObservationHandOver: HandOverContestant {
  private let rows: RowContestant

  init(at directory: String) throws { rows = try RowContestant(at: directory, .full) }

  func make() async throws -> String { "\(try await rows.createRow())" }

  func resolve(_ name: String) async throws { try await rows.resolve(Int64(name) ?? 0) }

  func wait(for name: String) async throws {
    let database = rows.database
    let telling = Task {
      var version = try await database.writeWithoutTransaction { try $0.version() }
      while true {
        try await Task.sleep(for: PollingHandOver.pause)
        let newest = try await database.writeWithoutTransaction { try $0.version() }
        guard newest != version else { continue }
        version = newest
        try await database.write { try $0.notifyChanges(in: .fullDatabase) }
      }
    }
    defer { telling.cancel() }
    let states = ValueObservation.tracking { try $0.state(ofPromise: name) }
    for try await state in states.values(in: database) where state == 1 { return }
  }

  func close() async { await rows.close() }
}

extension Database {
  /// Changes when another connection commits.
  fileprivate func version() throws -> Int? { try Int.fetchOne(self, sql: "PRAGMA data_version") }
}
