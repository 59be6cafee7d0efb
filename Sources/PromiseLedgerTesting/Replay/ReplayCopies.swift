package import PromiseLedger

/// The ledgers that a ``ReplayVerifier`` makes of a history, by their names, in stores of one kind.
package protocol ReplayCopies: Sendable {
  /// Makes a ledger from archives.
  func makeLedger(_ name: String, from archives: [String]) throws

  /// Opens the store of a ledger, without a session.
  func openStore(_ name: String) throws -> any EventStore

  /// Opens a ledger for inspection.
  func inspect(_ name: String) throws -> BlockingInspector

  /// The argument by which the command finds a ledger.
  func argument(_ name: String) -> String
}
