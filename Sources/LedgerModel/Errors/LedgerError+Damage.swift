extension LedgerError {
  /// Whether bytes of the ledger are damaged, or of a layout that this build does not know.
  package var isDamage: Bool { code == .corrupt || code == .incompatibleFormat }

  /// Keeps what is wrong with one of many things, so that the others are read all the same.
  ///
  /// - Throws: What is no damage.
  package static func catchingDamage<R>(
    _ body: () throws(LedgerError) -> R
  ) throws(LedgerError) -> Result<R, LedgerError> {
    do throws(LedgerError) {
      return .success(try body())
    } catch {
      guard error.isDamage else { throw error }
      return .failure(error)
    }
  }
}
