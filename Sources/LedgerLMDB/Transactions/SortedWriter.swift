internal import CLedgerLMDB

/// Puts entries into a table of byte keys in the order of their keys, with one cursor.
///
/// An entry that belongs on the page of the one before is placed without a search. Entries after
/// the last one of the table are appended, which fills pages fully.
@safe
package struct SortedWriter: ~Copyable {
  private var cursor: RawCursor
  /// The highest key of the table; `nil` once the new entries come after it.
  private var last: [UInt8]?

  fileprivate init(_ transaction: RawTransaction, _ table: Table) throws(LMDBError) {
    var cursor = try RawCursor(transaction, tableHandle: table.handle)
    if try cursor.move(MDB_LAST) { last = unsafe Array(UnsafeRawBufferPointer(cursor.key)) }
    self.cursor = cursor
  }

  /// Stores `value` under a key of 1 to 511 bytes, replacing an existing one.
  ///
  /// - Precondition: The key comes after that of the put before.
  /// - Throws: ``LMDBStatus/keyExists`` if it does not, as far as it is noticed.
  package mutating func put(
    _ value: Span<UInt8>, forKey key: Span<UInt8>
  ) throws(LMDBError) {
    if let last, last.span.precedes(key) { self.last = nil }
    let flags = last == nil ? MDB_APPEND : 0
    try unsafe RawTransaction.withKey(key, .putAtCursor) { (key) throws(LMDBError) in
      try unsafe value.withUnsafeBufferPointer { (bytes) throws(LMDBError) in
        try unsafe cursor.put(
          MDB_val(UnsafeRawBufferPointer(bytes)), forKey: key, flags: flags)
      }
    }
  }
}

@available(*, unavailable)
extension SortedWriter: Sendable {}

extension WriteTransaction {
  /// Puts entries into a table in the order of their keys.
  ///
  /// - Throws: ``LMDBError``, or the error that `body` threw.
  package mutating func putSorted(
    in table: Table, _ body: (inout SortedWriter) throws -> Void
  ) throws {
    try RawTransaction.check(table, has: .bytes, .putAtCursor)
    var writer = try SortedWriter(raw, table)
    try body(&writer)
  }
}

extension Span<UInt8> {
  /// Whether a key comes before another in a table of byte keys.
  fileprivate func precedes(_ other: Span<UInt8>) -> Bool {
    for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
      return self[index] < other[index]
    }
    return count < other.count
  }
}
