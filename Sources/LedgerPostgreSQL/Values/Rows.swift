internal import CLedgerPostgreSQL

/// The rows that a statement returned, in PostgreSQL's binary format.
@safe
package final class Rows: @unchecked Sendable {
  // Unchecked because libpq never changes a result once it was received.
  private let result: OpaquePointer

  /// Takes over a result of libpq.
  init(_ result: OpaquePointer) { unsafe self.result = result }

  deinit { unsafe PQclear(result) }

  package var count: Int { Int(unsafe PQntuples(result)) }

  package var indices: Range<Int> { 0..<count }

  /// The number of rows that the statement inserted, changed or deleted.
  package var changedCount: Int {
    guard let text = unsafe PQcmdTuples(result) else { return 0 }
    return Int(unsafe String(cString: text)) ?? 0
  }

  package func isNull(_ row: Int, _ column: Int) -> Bool {
    // libpq would send a notice about a row that there is not to the connection, which may be gone.
    guard row < count else { return true }
    return unsafe PQgetisnull(result, Int32(row), Int32(column)) == 1
  }

  package func bytes(_ row: Int, _ column: Int) -> [UInt8] {
    guard row < count else { return [] }
    let count = Int(unsafe PQgetlength(result, Int32(row), Int32(column)))
    guard count > 0, let start = unsafe PQgetvalue(result, Int32(row), Int32(column)) else {
      return []
    }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  package func text(_ row: Int, _ column: Int) -> String {
    String(decoding: bytes(row, column), as: UTF8.self)
  }

  package func bool(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Bool {
    try number(row, column, as: UInt8.self) != 0
  }

  package func int4(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Int32 {
    try number(row, column)
  }

  package func int8(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Int64 {
    try number(row, column)
  }

  private func number<Number: FixedWidthInteger>(
    _ row: Int, _ column: Int, as type: Number.Type = Number.self
  ) throws(PostgreSQLError) -> Number {
    let bytes = bytes(row, column)
    guard row < count, bytes.count == Number.bitWidth / 8 else {
      throw PostgreSQLError(
        .decoding,
        "Column \(column + 1) of row \(row + 1) has \(bytes.count) bytes, where a number of \(Number.bitWidth / 8) bytes was expected."
      )
    }
    return bytes.reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }
}
