import LedgerWorkerSupport
import PromiseLedgerPostgreSQL

extension WorkerProcess {
  /// Starts a process that uses a ledger on a server, as from a host of its own.
  ///
  /// - Parameter clock: How far the host's clock is wrong.
  convenience init(
    _ verb: String, on connection: String, _ place: PostgreSQLLedger, _ arguments: [String] = [],
    clock: WrongClock
  ) throws {
    let durability = "\(place.requiredDurability.rawValue)"
    try self.init(
      [verb, connection, place.name, durability] + arguments,
      program: WorkerProcess.programOnPostgreSQL,
      variables: ["WORKER_CLOCK_SHIFT": "\(clock.shiftInSeconds)"])
  }
}

/// The clock of a host, which may be a year ahead or behind.
struct WrongClock: Sendable {
  let shiftInSeconds: Int

  private static let year = 365 * 86_400

  /// That of the host with a number: of three hosts, one is right.
  init(ofHost number: Int) { shiftInSeconds = [0, Self.year, -Self.year][number % 3] }
}
