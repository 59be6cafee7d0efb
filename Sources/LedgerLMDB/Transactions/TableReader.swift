internal import CLedgerLMDB

/// The reads that a transaction offers, whether it may write too or not.
///
/// Every span is a view into the memory map. It is tied to the transaction that it came from:
/// "Values returned from the database are valid only until a subsequent update operation, or the
/// end of the transaction" (`mdb_get`), and the compiler enforces both halves of that.
package protocol TableReader: ~Copyable {
  /// The underlying handle, for the functions of this protocol only.
  var raw: RawTransaction { get }
}

extension TableReader where Self: ~Copyable {
  /// The value for an integer key, in place.
  @_lifetime(borrow self)
  package borrowing func value(
    forKey key: UInt64, in table: Table
  ) throws(LMDBError) -> Span<UInt8>? {
    try RawTransaction.check(table, has: .integer, .get)
    let raw = self.raw
    let found = try unsafe RawTransaction.withKey(key) {
      (key) throws(LMDBError) -> UnsafeRawBufferPointer? in try unsafe raw.get(key, table)
    }
    guard let found = unsafe found else { return nil }
    let bytes = unsafe Span<UInt8>(_unsafeBytes: found)
    return unsafe _overrideLifetime(bytes, borrowing: self)
  }

  /// The value for a byte key of 1 to 511 bytes, in place.
  @_lifetime(borrow self)
  package borrowing func value(
    forKey key: Span<UInt8>, in table: Table
  ) throws(LMDBError) -> Span<UInt8>? {
    try RawTransaction.check(table, has: .bytes, .get)
    let raw = self.raw
    let found = try unsafe RawTransaction.withKey(key, .get) {
      (key) throws(LMDBError) -> UnsafeRawBufferPointer? in try unsafe raw.get(key, table)
    }
    guard let found = unsafe found else { return nil }
    let bytes = unsafe Span<UInt8>(_unsafeBytes: found)
    return unsafe _overrideLifetime(bytes, borrowing: self)
  }

  /// The highest key at or below `key`: that of the frame that holds a position.
  package borrowing func floorKey(_ key: UInt64, in table: Table) throws(LMDBError) -> UInt64? {
    guard let entry = try unsafe raw.entry(at: .atOrBelow(key), table) else { return nil }
    return unsafe entry.0
  }

  /// The entry with the highest key at or below `key`, in place.
  @_lifetime(borrow self)
  package borrowing func floorEntry(
    _ key: UInt64, in table: Table
  ) throws(LMDBError) -> TableEntry? {
    guard let found = try unsafe raw.entry(at: .atOrBelow(key), table) else { return nil }
    let bytes = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(found.1))
    let entry = unsafe TableEntry(key: found.0, value: bytes)
    return unsafe _overrideLifetime(entry, borrowing: self)
  }

  /// The entry with the lowest key of an integer table, in place; nil when it is empty.
  @_lifetime(borrow self)
  package borrowing func firstEntry(in table: Table) throws(LMDBError) -> TableEntry? {
    guard let found = try unsafe raw.entry(at: .first, table) else { return nil }
    let bytes = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(found.1))
    let entry = unsafe TableEntry(key: found.0, value: bytes)
    return unsafe _overrideLifetime(entry, borrowing: self)
  }

  /// The entry with the highest key of an integer table, in place; nil when it is empty.
  @_lifetime(borrow self)
  package borrowing func lastEntry(in table: Table) throws(LMDBError) -> TableEntry? {
    guard let found = try unsafe raw.entry(at: .last, table) else { return nil }
    let bytes = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(found.1))
    let entry = unsafe TableEntry(key: found.0, value: bytes)
    return unsafe _overrideLifetime(entry, borrowing: self)
  }

  /// The number of entries in the table.
  package borrowing func count(of table: Table) throws(LMDBError) -> Int {
    Int(try raw.statistics(ofHandle: table.handle).ms_entries)
  }

  /// Visits the entries of an integer table upwards from the first key at or above `start`, until
  /// `body` returns false, `limit` entries were visited or the table ends.
  ///
  /// The span is valid inside `body` only.
  ///
  /// - Throws: ``LMDBError``, or the error that `body` threw.
  /// - Complexity: O(log entries) to begin, then O(1) an entry.
  package borrowing func scan(
    _ table: Table, from start: UInt64 = 0, limit: Int = .max,
    _ body: (_ key: UInt64, _ value: Span<UInt8>) throws -> Bool
  ) throws {
    try raw.scan(table, from: start, limit: limit, body)
  }

  /// Visits the entries of a byte-key table upwards from the first key at or above `start`; an
  /// empty span starts at the first.
  package borrowing func scan(
    _ table: Table, fromKey start: Span<UInt8>, limit: Int = .max,
    _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Bool
  ) throws {
    try raw.scan(table, from: start, limit: limit, body)
  }
}

/// One entry of an integer table, with its value in place.
package struct TableEntry: ~Escapable {
  package let key: UInt64
  package let value: Span<UInt8>

  @_lifetime(copy value)
  init(key: UInt64, value: Span<UInt8>) {
    self.key = key
    self.value = value
  }
}
