internal import CLedgerLMDB

extension RawTransaction {
  /// One entry of a table of integer keys.
  enum Place {
    case first
    case last
    case atOrBelow(UInt64)
  }

  /// Moves a cursor to an entry; false when there is no such entry.
  private func move(_ cursor: inout RawCursor, to place: Place) throws(LMDBError) -> Bool {
    switch place {
    case .first:
      return try cursor.move(MDB_FIRST)
    case .last:
      return try cursor.move(MDB_LAST)
    case .atOrBelow(let key):
      guard try Self.seek(&cursor, key) else { return try cursor.move(MDB_LAST) }
      guard try unsafe Self.integer(cursor.key) > key else { return true }
      return try cursor.move(MDB_PREV)
    }
  }

  private static func seek(_ cursor: inout RawCursor, _ key: UInt64) throws(LMDBError) -> Bool {
    var word = key
    let size = MemoryLayout<UInt64>.size
    return try unsafe withUnsafeMutablePointer(to: &word) {
      (pointer: UnsafeMutablePointer<UInt64>) throws(LMDBError) -> Bool in
      try unsafe cursor.seek(MDB_val(mv_size: size, mv_data: UnsafeMutableRawPointer(pointer)))
    }
  }

  func entry(at place: Place, _ table: Table) throws(LMDBError) -> (UInt64, MDB_val)? {
    try Self.check(table, has: .integer, .moveCursor)
    var cursor = try RawCursor(self, tableHandle: table.handle)
    guard try move(&cursor, to: place) else { return nil }
    return try unsafe (Self.integer(cursor.key), cursor.value)
  }

  package func scan(
    _ table: Table, from start: UInt64, limit: Int,
    _ body: (UInt64, Span<UInt8>) throws -> Bool
  ) throws {
    guard limit > 0 else { return }
    try Self.check(table, has: .integer, .moveCursor)
    var cursor = try RawCursor(self, tableHandle: table.handle)
    guard try Self.seek(&cursor, start) else { return }
    var remaining = limit
    var last: UInt64?
    repeat {
      let key = try unsafe Self.integer(cursor.key, follows: &last)
      let value = unsafe UnsafeRawBufferPointer(cursor.value)
      let bytes = unsafe Span<UInt8>(_unsafeBytes: value)
      guard try body(key, bytes) else { return }
      remaining -= 1
    } while try remaining > 0 && cursor.move(MDB_NEXT)
  }

  package func scan(
    _ table: Table, from start: Span<UInt8>, limit: Int,
    _ body: (Span<UInt8>, Span<UInt8>) throws -> Bool
  ) throws {
    guard limit > 0 else { return }
    try Self.check(table, has: .bytes, .moveCursor)
    var cursor = try RawCursor(self, tableHandle: table.handle)
    let found: Bool
    if start.isEmpty {
      found = try cursor.move(MDB_FIRST)
    } else {
      found = try unsafe start.withUnsafeBufferPointer {
        (bytes: UnsafeBufferPointer<UInt8>) throws(LMDBError) -> Bool in
        try unsafe cursor.seek(MDB_val(UnsafeRawBufferPointer(bytes)))
      }
    }
    guard found else { return }
    var remaining = limit
    // The pointer stays valid, because nothing is written during a scan.
    var last: UnsafeRawBufferPointer?
    repeat {
      let key = unsafe UnsafeRawBufferPointer(cursor.key)
      if let before = unsafe last, unsafe before.compared(to: key) >= 0 {
        throw LMDBError(.corrupted, .moveCursor)
      }
      unsafe last = key
      let value = unsafe UnsafeRawBufferPointer(cursor.value)
      let keyBytes = unsafe Span<UInt8>(_unsafeBytes: key)
      let valueBytes = unsafe Span<UInt8>(_unsafeBytes: value)
      guard try body(keyBytes, valueBytes) else { return }
      remaining -= 1
    } while try remaining > 0 && cursor.move(MDB_NEXT)
  }
}
