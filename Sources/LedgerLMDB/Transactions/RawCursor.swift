internal import CLedgerLMDB

/// An LMDB cursor that is closed when it goes out of scope, always before its transaction ends.
///
/// "A cursor in a write-transaction must be closed before its transaction ends"; one of a read
/// transaction must be closed by hand.
@safe
struct RawCursor: ~Copyable {
  private let handle: OpaquePointer
  private let seam: CallSeam
  private(set) var key = unsafe MDB_val()
  private(set) var value = unsafe MDB_val()

  init(_ transaction: RawTransaction, tableHandle: MDB_dbi) throws(LMDBError) {
    var cursor: OpaquePointer?
    let status = transaction.seam(.openCursor) {
      unsafe mdb_cursor_open(transaction.handle, tableHandle, &cursor)
    }
    guard status == .success, let cursor = unsafe cursor else {
      throw LMDBError(status, .openCursor)
    }
    unsafe self.handle = cursor
    self.seam = transaction.seam
  }

  deinit {
    unsafe mdb_cursor_close(handle)
  }

  /// `mdb_cursor_get`; false when there is no such entry.
  mutating func move(_ operation: MDB_cursor_op) throws(LMDBError) -> Bool {
    var newKey = unsafe MDB_val()
    var newValue = unsafe MDB_val()
    let status = seam(.moveCursor) {
      unsafe mdb_cursor_get(handle, &newKey, &newValue, operation)
    }
    return try unsafe landed(status, newKey, newValue)
  }

  /// `MDB_SET_RANGE`: the first entry whose key is at or above `target`.
  mutating func seek(_ target: MDB_val) throws(LMDBError) -> Bool {
    var newKey = unsafe target
    var newValue = unsafe MDB_val()
    let status = seam(.moveCursor) {
      unsafe mdb_cursor_get(handle, &newKey, &newValue, MDB_SET_RANGE)
    }
    return try unsafe landed(status, newKey, newValue)
  }

  private mutating func landed(
    _ status: LMDBStatus, _ newKey: MDB_val, _ newValue: MDB_val
  ) throws(LMDBError) -> Bool {
    switch status {
    case .success:
      unsafe key = newKey
      unsafe value = newValue
      return true
    case .notFound:
      return false
    default:
      throw LMDBError(status, .moveCursor)
    }
  }

  /// `mdb_cursor_put`: stores an entry and stays on it.
  mutating func put(
    _ newValue: MDB_val, forKey newKey: MDB_val, flags: Int32
  ) throws(LMDBError) {
    var newKey = unsafe newKey
    var newValue = unsafe newValue
    let status = seam(.putAtCursor) {
      unsafe mdb_cursor_put(handle, &newKey, &newValue, UInt32(bitPattern: flags))
    }
    guard status == .success else { throw LMDBError(status, .putAtCursor) }
  }
}
