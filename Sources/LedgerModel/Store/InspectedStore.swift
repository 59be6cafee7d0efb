/// A ledger that a store opened for looking only: no session, no event, no signal.
package protocol InspectedStore: LedgerSource {
  /// What the ledger was made with.
  var metadata: LedgerMetadata { get }

  /// Tells which sessions are at work.
  var sessions: any SessionRegistry { get }

  /// Looks at the whole structure of what is stored, below events and records.
  ///
  /// - Parameter tick: Called now and then.
  /// - Returns: What lacks entries, and can be read all the same.
  /// - Throws: `corrupt` if it is so damaged that it must not be read.
  func checkStructure(_ tick: () -> Void) throws(LedgerError) -> LedgerError?

  /// Runs `body` on one view that stays valid until `body` returns.
  func withPinnedView<R>(_ body: (any LedgerSource) throws -> R) throws -> R

  /// Lets go of what is held. What is read afterwards gets `closed`; closing twice is harmless.
  func close()
}
