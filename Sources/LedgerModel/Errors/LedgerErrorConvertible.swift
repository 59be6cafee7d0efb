/// An error of a layer below a ledger that knows what it means for one.
package protocol LedgerErrorConvertible: Error {
  /// What it means.
  var ledgerError: LedgerError { get }
}
