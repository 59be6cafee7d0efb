import LedgerModel
import LedgerPostgreSQL
import LedgerSystem

/// A commit that changes nothing, by which a server shows that it still is the primary.
///
/// It is a message in the server's log of changes, which no table has. Like any commit, it ends once a synchronous
/// standby has it, and the standbys of a deposed primary follow its successor.
struct ReadConfirmation: Sendable {
  /// How long all attempts of one read wait.
  private let patience: Duration
  private let end: Duration

  /// - Returns: `nil` if reads need no confirmation.
  init?(for place: PostgreSQLLedger) {
    guard place.reads == .confirmed else { return nil }
    patience = place.reconnectionPatience
    end = MonotonicClock.now + patience
  }

  private static let commit = Statement(
    "SELECT pg_logical_emit_message(true, 'promise_ledger', '')")

  /// Waits for the commit.
  ///
  /// - Throws: `unavailable` if no standby confirms it in time.
  func confirm(_ connection: Connection, in names: SchemaNames) throws(LedgerError) {
    // A read is tried once more on another connection, which may lead to the successor.
    let end = min(end, MonotonicClock.now + patience / 2)
    do throws(PostgreSQLError) {
      let notices = try connection.run([Self.commit], until: { MonotonicClock.now >= end }).notices
      if !notices.contains(where: \.isAboutDurability) { return }
    } catch {
      guard error.state == .queryCanceled, MonotonicClock.now >= end else {
        throw LedgerError(error, in: names)
      }
    }
    throw LedgerError(
      .unavailable,
      "The server could not confirm within \(patience) that it still is the primary: no synchronous standby answers it. Nothing was read. If another server took over, the next attempt finds it; otherwise, bring a standby back."
    )
  }
}
