import LedgerModel
import LedgerPostgreSQLTestSupport
import LedgerSystem
import LedgerTestSupport
import Synchronization
import Testing

/// A server whose main process is killed while writers commit: they go on once it is back.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct CrashedServerTests {
  private static let crashCount = TestAmount.of(2)

  @Test func nothingAcknowledgedIsLost() throws {
    let server = try TestServer()
    let place = try server.makePlace()
    // Makes the ledger.
    _ = try PostgreSQLWriter(place)
    let crashes = Atomic<Int>(0)
    let logs = Recorder<[Position: CommitID]>()
    let errors = Recorder<String>()
    let writers = try (0..<2).map { number in
      try SystemThread.start(name: "writer \(number)") {
        do {
          let writer = try PostgreSQLWriter(place)
          repeat {
            try Self.append(by: writer)
          } while crashes.load(ordering: .acquiring) < Self.crashCount
          // The last crash must not be the end of everything.
          try Self.append(by: writer)
          logs.add(writer.acknowledged)
        } catch {
          errors.add("\(error)")
        }
      }
    }
    for _ in 0..<Self.crashCount {
      let count = try server.log(of: place).count
      while try server.log(of: place).count < count + 20, errors.all.isEmpty {}
      try server.crash()
      crashes.add(1, ordering: .releasing)
    }
    for writer in writers { writer.join() }
    #expect(errors.all == [])
    let acknowledged = logs.all.reduce(into: [:]) { $0.merge($1) { one, _ in one } }
    #expect(acknowledged.count == logs.all.reduce(0) { $0 + $1.count })
    #expect(try server.log(of: place) == acknowledged)
  }

  /// Appends an event; repeats it if that wrote nothing because the server was away.
  private static func append(by writer: PostgreSQLWriter) throws {
    for _ in 0..<10 {
      do {
        return try writer.append()
      } catch {
        guard error.code == .unavailable else { throw error }
      }
    }
    try writer.append()
  }
}
