import Foundation
import LedgerHistoryClient
import LedgerPostgreSQL
import LedgerTestSupport
import PromiseLedgerPostgreSQL

/// Makes histories on a ledger of a server.
struct Histories {
  private let place: PostgreSQLLedger
  private let connection: String
  private let role: SessionRole
  private let maker: HistoryMaker

  init(
    _ place: PostgreSQLLedger, on connection: String, name: String, role: String, seed: UInt64
  ) throws {
    self.place = place
    self.connection = connection
    self.role = role == "app" ? .app : .appExtension
    maker = HistoryMaker(name, as: self.role, seed: seed) { WholeLine.print($0) }
  }

  func run() async throws {
    let ledger = try await open()
    try await maker.run(on: ledger)
    await ledger.close()
  }

  /// Opens the ledger, also while its server is away.
  ///
  /// If another session holds the row for too long, this is repeated as a request would be, whose answer is then that
  /// nothing was done. What the server's sessions do is printed, because it should not happen.
  private func open() async throws -> Ledger {
    for _ in 0..<100 {
      do {
        return try await Ledger.open(place, as: role, configuration: try maker.configuration())
      } catch let error as LedgerError where error.code == .writerStalled {
        FileHandle.standardError.write(Data("\(error)\n\(try serverActivity())\n".utf8))
      } catch let error as LedgerError where error.code == .unavailable {
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    return try await Ledger.open(place, as: role, configuration: try maker.configuration())
  }

  /// What each session of the server's database does that is not idle, and since when.
  private func serverActivity() throws -> String {
    try Connection(ConnectionSettings(connection)).run(
      """
      SELECT coalesce(string_agg(concat_ws(' ', pid, application_name, state, wait_event, now() - state_change,
        left(query, 80)), E'\\n'), '')
      FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
      """
    ).text(0, 0)
  }
}
