package import LedgerModel
import LedgerPostgreSQL

/// A ledger in the list of those in a schema.
package struct ListedLedger: Sendable {
  package let name: String
  package let id: LedgerID
  /// The state in which it is: open, sealed, or building while it is imported.
  package let state: String
  /// The position of the last event.
  package let head: Position
  /// The position of the snapshot.
  package let snapshotPosition: Position
}

extension PostgreSQLLedger {
  /// The ledgers of the schema, in the order of their names.
  ///
  /// - Throws: `notALedger` if there is no schema, `notFound` if there is no database, `incompatibleFormat`,
  ///   `permissionDenied`, `unavailable`.
  package func ledgersOfSchema(prefersStandby: Bool = false) throws(LedgerError) -> [ListedLedger] {
    let place = forReading(prefersStandby: prefersStandby)
    let names = place.names
    let connection = try ConnectionPool(place.settings, names, for: .inspection).connect()
    try SchemaVersion.check(names, connection)
    return try LedgerError.onServer(names) { () throws(PostgreSQLError) in
      let rows = try connection.run(
        """
        SELECT l.name, l.id, l.state, l.head, s.position
        FROM \(names.ledger) l JOIN \(names.snapshot) s USING (ledger) ORDER BY l.name COLLATE "C"
        """)
      var ledgers: [ListedLedger] = []
      for row in rows.indices {
        ledgers.append(
          ListedLedger(
            name: rows.text(row, 0),
            id: LedgerID(entityID: EntityID(loadedFrom: rows.bytes(row, 1).span, at: 0)),
            state: rows.text(row, 2), head: Position(stored: try rows.int8(row, 3)),
            snapshotPosition: Position(stored: try rows.int8(row, 4))))
      }
      return ledgers
    }
  }
}
