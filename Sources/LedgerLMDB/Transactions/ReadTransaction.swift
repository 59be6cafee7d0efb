internal import CLedgerLMDB

/// A consistent view of all tables, as of the last commit before it began.
///
/// It exists only inside the closure of ``Environment/read(_:)``. It pins every page that was freed
/// since it began, so keep it short, or end it once ``Environment/isAwaited``.
@safe
package struct ReadTransaction: ~Copyable, TableReader {
  package let raw: RawTransaction

  init(_ raw: RawTransaction) {
    self.raw = raw
  }

  /// `mdb_txn_reset`: releases the view and keeps the handle, which goes back to the pool.
  deinit {
    unsafe mdb_txn_reset(raw.handle)
  }
}

@available(*, unavailable)
extension ReadTransaction: Sendable {}
