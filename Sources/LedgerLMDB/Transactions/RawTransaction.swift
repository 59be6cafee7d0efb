internal import CLedgerLMDB

/// An LMDB transaction handle and the calls on it, in C's terms: no ownership, no lifetimes.
///
/// ``ReadTransaction`` and ``WriteTransaction`` own one each and lend it through ``TableReader``.
/// It must stay trivial, so that a write transaction can be discarded when it was committed.
@safe
package struct RawTransaction {
  let handle: OpaquePointer
  let seam: CallSeam

  init(_ handle: OpaquePointer, _ seam: CallSeam) {
    unsafe self.handle = handle
    self.seam = seam
  }

  /// `mdb_get`: the pointer is valid until the end of the transaction, in a write transaction until
  /// its next update.
  func get(_ key: MDB_val, _ table: Table) throws(LMDBError) -> UnsafeRawBufferPointer? {
    var key = unsafe key
    var value = unsafe MDB_val()
    let status = seam(.get) { unsafe mdb_get(handle, table.handle, &key, &value) }
    switch status {
    case .success: return unsafe UnsafeRawBufferPointer(value)
    case .notFound: return nil
    default: throw LMDBError(status, .get)
    }
  }

  /// `mdb_put`.
  func put(
    _ value: MDB_val, forKey key: MDB_val, _ table: Table, flags: Int32
  ) throws(LMDBError) {
    var key = unsafe key
    var value = unsafe value
    let status = seam(.put) {
      unsafe mdb_put(handle, table.handle, &key, &value, UInt32(bitPattern: flags))
    }
    guard status == .success else { throw LMDBError(status, .put) }
  }

  /// Stores the number of this transaction in the main tree, just before the commit.
  func stamp() throws(LMDBError) {
    let name = TransactionStamp.key
    let number = UInt64(unsafe mdb_txn_id(handle)).littleEndian
    try unsafe withUnsafeBytes(of: number) { (number) throws(LMDBError) in
      let value = unsafe MDB_val(number)
      try unsafe Self.withKey(name.span, .put) { (key) throws(LMDBError) in
        try unsafe put(value, forKey: key, TransactionStamp.table, flags: 0)
      }
    }
  }

  /// `mdb_del`; false when there is no such key.
  func delete(_ key: MDB_val, _ table: Table) throws(LMDBError) -> Bool {
    var key = unsafe key
    let status = seam(.delete) { unsafe mdb_del(handle, table.handle, &key, nil) }
    switch status {
    case .success: return true
    case .notFound: return false
    default: throw LMDBError(status, .delete)
    }
  }

  /// `mdb_drop` with `del` 0: "empty the DB". The table's handle stays valid in every process.
  func empty(_ table: Table) throws(LMDBError) {
    try seam.require(.emptyTable) { unsafe mdb_drop(handle, table.handle, 0) }
  }

  func statistics(ofHandle table: MDB_dbi) throws(LMDBError) -> MDB_stat {
    var result = MDB_stat()
    try seam.require(.tableStatistics) { unsafe mdb_stat(handle, table, &result) }
    return result
  }
}

// MARK: - Bytes in C's shape

extension UnsafeRawBufferPointer {
  init(_ value: MDB_val) {
    unsafe self.init(start: value.mv_data, count: value.mv_size)
  }
}

extension MDB_val {
  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.init(
      mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }
}

extension RawTransaction {
  /// Lends an integer key in the shape that MDB_INTEGERKEY requires: a native 8-byte word.
  ///
  /// LMDB checks no key size in such a table, so this is the only place that makes one.
  @inline(__always)
  static func withKey<R>(
    _ key: UInt64, _ body: (MDB_val) throws(LMDBError) -> R
  ) throws(LMDBError) -> R {
    var word = key
    return try unsafe withUnsafeMutableBytes(of: &word) {
      (bytes: UnsafeMutableRawBufferPointer) throws(LMDBError) -> R in
      try unsafe body(MDB_val(UnsafeRawBufferPointer(bytes)))
    }
  }

  /// Lends a byte key, after checking its size: "between 1 and mdb_env_get_maxkeysize() inclusive".
  @inline(__always)
  static func withKey<R>(
    _ key: Span<UInt8>, _ operation: LMDBOperation, _ body: (MDB_val) throws(LMDBError) -> R
  ) throws(LMDBError) -> R {
    guard (1...511).contains(key.count) else {
      throw LMDBError(.badKey("it has \(key.count) bytes; it must have 1 to 511"), operation)
    }
    return try unsafe key.withUnsafeBufferPointer {
      (bytes: UnsafeBufferPointer<UInt8>) throws(LMDBError) -> R in
      try unsafe body(MDB_val(UnsafeRawBufferPointer(bytes)))
    }
  }

  /// The integer in a key that came out of LMDB, at any alignment.
  ///
  /// A key of another size can only come from a damaged file, and is an error, not a trap.
  @inline(__always)
  static func integer(_ key: MDB_val) throws(LMDBError) -> UInt64 {
    guard unsafe key.mv_size == 8, let data = unsafe key.mv_data else {
      throw LMDBError(.corrupted, .moveCursor)
    }
    return unsafe data.loadUnaligned(as: UInt64.self)
  }

  /// Requires that the keys of a walk ascend: in a damaged tree the path may lead back, and would
  /// never end.
  @discardableResult
  static func integer(
    _ key: MDB_val, follows last: inout UInt64?
  ) throws(LMDBError) -> UInt64 {
    let key = try unsafe integer(key)
    if let last, key <= last { throw LMDBError(.corrupted, .moveCursor) }
    last = key
    return key
  }

  @inline(__always)
  static func check(
    _ table: Table, has keys: TableDescription.Keys, _ operation: LMDBOperation
  ) throws(LMDBError) {
    guard table.keys == keys else {
      throw LMDBError(.badKey("table \(table.name) has \(table.keys) keys"), operation)
    }
  }
}
