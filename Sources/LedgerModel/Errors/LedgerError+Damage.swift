extension LedgerError {
  /// Whether the error reports damaged bytes, or a layout that this build does not know.
  package var isDamage: Bool { code == .corrupt || code == .incompatibleFormat }

  /// Whether the error reports one item that this build cannot read: it is damaged, or of a later version.
  package var isOfUnreadableItem: Bool { isDamage || code == .unsupportedEvent }

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
