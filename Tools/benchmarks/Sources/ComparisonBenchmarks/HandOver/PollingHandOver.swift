import GRDB

/// The other process looks at the row again and again.
struct PollingHandOver: HandOverContestant {
  static let pause = Duration.milliseconds(10)

  private let rows: RowContestant

  init(at directory: String) throws { rows = try RowContestant(at: directory, .full) }

  func make() async throws -> String { "\(try await rows.createRow())" }

  func resolve(_ name: String) async throws { try await rows.resolve(Int64(name) ?? 0) }

  func wait(for name: String) async throws {
    while try await rows.database.read({ try $0.state(ofPromise: name) }) != 1 {
      try await Task.sleep(for: Self.pause)
    }
  }

  func close() async { await rows.close() }
}

extension Database {
  func state(ofPromise name: String) throws -> Int? {
    try Int.fetchOne(
      cachedStatement(sql: "SELECT state FROM promise WHERE id = ?"), arguments: [Int64(name)])
  }
}
