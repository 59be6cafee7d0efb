extension LedgerError {
  /// Whether the error reports damaged bytes, or a layout that this build does not know.
  package var isDamage: Bool { code == .corrupt || code == .incompatibleFormat }

  /// Captures damage to one of many items, so that the others can still be read.
  ///
  /// - Throws: Any error other than damage.
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
