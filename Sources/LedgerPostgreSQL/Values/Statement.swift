/// One SQL statement with its parameters `$1`, `$2`, ….
package struct Statement: Sendable, Hashable {
  package let sql: String
  package let values: [Value]
  /// Whether the server keeps the statement for the connection, so that it parses it once, and plans it a few times.
  ///
  /// For statements that run often, and whose best plan hardly depends on the values. When the statistics of a table
  /// change, the server plans anew.
  package let isPrepared: Bool

  package init(_ sql: String, _ values: [Value] = [], isPrepared: Bool = false) {
    self.sql = sql
    self.values = values
    self.isPrepared = isPrepared
  }
}
