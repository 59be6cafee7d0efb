internal import CLedgerLMDB

/// The only write transaction that an environment can have at a time, across all processes.
///
/// It exists only inside the closure of ``Environment/write(_:)``, on the thread that began it:
/// LMDB's lock belongs to that thread. Any end without a commit aborts it.
@safe
package struct WriteTransaction: ~Copyable, TableReader {
  package let raw: RawTransaction

  init(_ raw: RawTransaction) {
    self.raw = raw
  }

  deinit {
    unsafe mdb_txn_abort(raw.handle)
  }

  /// `mdb_txn_commit`. The handle is gone afterwards, whether this throws or not.
  package consuming func commit() throws(LMDBError) {
    let raw = self.raw
    do throws(LMDBError) {
      try raw.stamp()
    } catch {
      _ = consume self
      throw error
    }
    discard self
    let status = unsafe raw.seam.commit(raw.handle)
    guard status == .success else { throw LMDBError(status, .commit) }
  }
}

@available(*, unavailable)
extension WriteTransaction: Sendable {}

// MARK: - Writing

extension WriteTransaction {
  /// Stores `value`, replacing an existing one.
  ///
  /// - Parameter append: the key must be above the last one of the table (`MDB_APPEND`), which
  ///   fills pages fully and costs no search.
  /// - Throws: ``LMDBStatus/keyExists`` when `append` is true and the key is not above the last.
  package mutating func put(
    _ value: Span<UInt8>, forKey key: UInt64, in table: Table, append: Bool = false
  ) throws(LMDBError) {
    try RawTransaction.check(table, has: .integer, .put)
    let raw = self.raw
    try unsafe RawTransaction.withKey(key) { (key) throws(LMDBError) in
      try unsafe value.withUnsafeBufferPointer { (bytes) throws(LMDBError) in
        let value = unsafe MDB_val(UnsafeRawBufferPointer(bytes))
        try unsafe raw.put(value, forKey: key, table, flags: append ? MDB_APPEND : 0)
      }
    }
  }

  /// Stores `value` under a key of 1 to 511 bytes, replacing an existing one.
  package mutating func put(
    _ value: Span<UInt8>, forKey key: Span<UInt8>, in table: Table, append: Bool = false
  ) throws(LMDBError) {
    try RawTransaction.check(table, has: .bytes, .put)
    let raw = self.raw
    try unsafe RawTransaction.withKey(key, .put) { (key) throws(LMDBError) in
      try unsafe value.withUnsafeBufferPointer { (bytes) throws(LMDBError) in
        let value = unsafe MDB_val(UnsafeRawBufferPointer(bytes))
        try unsafe raw.put(value, forKey: key, table, flags: append ? MDB_APPEND : 0)
      }
    }
  }

  /// Deletes the entry; false when there is none.
  @discardableResult
  package mutating func delete(forKey key: UInt64, in table: Table) throws(LMDBError) -> Bool {
    try RawTransaction.check(table, has: .integer, .delete)
    let raw = self.raw
    return try unsafe RawTransaction.withKey(key) { (key) throws(LMDBError) in
      try unsafe raw.delete(key, table)
    }
  }

  /// Deletes the entry of a key of 1 to 511 bytes; false when there is none.
  @discardableResult
  package mutating func delete(
    forKey key: Span<UInt8>, in table: Table
  ) throws(LMDBError) -> Bool {
    try RawTransaction.check(table, has: .bytes, .delete)
    let raw = self.raw
    return try unsafe RawTransaction.withKey(key, .delete) { (key) throws(LMDBError) in
      try unsafe raw.delete(key, table)
    }
  }

  /// Empties the table; all its pages become free at once (2 ms for a million entries).
  ///
  /// Tables are never deleted: `mdb_drop` with `del` 1 would close the handle under every other
  /// transaction of the process.
  package mutating func empty(_ table: Table) throws(LMDBError) {
    try raw.empty(table)
  }
}
