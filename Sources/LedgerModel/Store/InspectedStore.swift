/// A ledger that a store opened for inspection only: without a session, events or signals.
package protocol InspectedStore: LedgerSource {
  /// The parameters with which the ledger was created.
  var metadata: LedgerMetadata { get }

  /// The registry that shows which sessions are active.
  var sessions: any SessionRegistry { get }

  /// Checks the whole structure of the stored data, below the level of events and records.
  ///
  /// - Parameter goesOn: Called now and then. Once it returns false, the check ends with `closed`.
  /// - Returns: The error for a structure that lacks entries but can still be read.
  /// - Throws: `corrupt` if the structure is so damaged that it must not be read.
  func checkStructure(while goesOn: () -> Bool) throws(LedgerError) -> LedgerError?

  /// Runs `body` on one view that stays valid until `body` returns.
  func withPinnedView<R>(_ body: (any LedgerSource) throws -> R) throws -> R

  /// Releases everything that is held. Later reads throw `closed`; closing twice is harmless.
  func close()
}
