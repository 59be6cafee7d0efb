import LedgerModel
import LedgerPostgreSQL
import LedgerRuntime

extension PostgreSQLLedger {
  /// Builds a ledger out of sight, verifies it, and publishes it in a single transaction.
  ///
  /// The leftovers of an import whose process or connection died are removed by the next import of the same name.
  ///
  /// - Parameter fill: Writes the contents.
  /// - Throws: `alreadyExists` if there is a ledger of the name, or another import makes one; and any error of
  ///   `fill` and of the verification. No ledger is then made.
  func construct(
    _ metadata: LedgerMetadata,
    _ fill: (any LedgerConstruction) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    let pool = ConnectionPool(settings, names, for: .session(requires: requiredDurability))
    defer { pool.close() }
    // Its lock ends with it, so that no other import removes what this one has written.
    let connection = try pool.connect()
    try SchemaVersion.check(names, connection)
    let building = BuildingLedger(name: name, names: names, connection: connection)
    try building.lock()
    try building.removeLeftovers()
    let entry = try building.begin(metadata)
    do throws(LedgerError) {
      let views = LedgerViews(sql: LedgerSQL(names: names, number: entry.number), pool: pool)
      try fill(
        PostgreSQLConstruction(
          views: views, connection: connection, byteLimit: largestCommitByteCount))
      try verify(entry)
      try building.show(entry)
    } catch {
      if error.code != .commitOutcomeUnknown { try? building.removeLeftovers() }
      throw error
    }
  }

  private func verify(_ entry: LedgerEntry) throws(LedgerError) {
    let inspector = BlockingInspector(
      PostgreSQLInspection(self, entry, ConnectionPool(settings, names, for: .inspection)))
    defer { inspector.close() }
    try LedgerError.mapping {
      _ = try inspector.verify { finding in
        guard finding.severity == .corrupt else { return }
        let place = finding.position.map { " (position \($0))" } ?? ""
        throw LedgerError(
          .corrupt,
          "Nothing was imported, because the ledger made from the archive is inconsistent\(place). Use another copy of the archive. The first finding: \(finding.message)"
        )
      }
    }
  }
}

/// The row of a ledger that is built, by the connection that builds it.
private struct BuildingLedger {
  let name: String
  let names: SchemaNames
  let connection: Connection

  /// Keeps other imports of the same name out until the connection ends.
  func lock() throws(LedgerError) {
    let isLocked = try AdvisoryLock.take(
      "hashtext($1), hashtext($2)", [.text("promise_ledger/import/\(names.name)"), .text(name)],
      on: connection, in: names)
    guard isLocked else {
      throw LedgerError(
        .alreadyExists,
        "Another import makes the ledger \"\(name)\" at this time. Nothing was imported; wait until it ends, or choose another name."
      )
    }
  }

  func begin(_ metadata: LedgerMetadata) throws(LedgerError) -> LedgerEntry {
    let number = try onServer { () throws(PostgreSQLError) -> Int32? in
      let rows = try connection.run([
        LedgerEntry.insertion(of: name, in: names, metadata, state: "building"),
        Statement(
          "SELECT ledger FROM \(names.ledger) WHERE name = $1 AND state = 'building'",
          [.text(name)]),
      ]).rows[1]
      return rows.count == 0 ? nil : try rows.int4(0, 0)
    }
    guard let number else {
      throw LedgerError(
        .alreadyExists,
        "The schema \(names.name) has a ledger \"\(name)\" already. Choose another name; an import never overwrites anything."
      )
    }
    return LedgerEntry(number: number, metadata: metadata)
  }

  func removeLeftovers() throws(LedgerError) {
    let number =
      "ledger IN (SELECT ledger FROM \(names.ledger) WHERE name = $1 AND state = 'building')"
    // The row goes last: without it, the others would not be found again.
    let tables = [
      names.frame, names.attachment, names.record, names.snapshot, names.session, names.ledger,
    ]
    try onServer { () throws(PostgreSQLError) in
      _ = try connection.run(
        tables.map { Statement("DELETE FROM \($0) WHERE \(number)", [.text(name)]) })
    }
  }

  func show(_ entry: LedgerEntry) throws(LedgerError) {
    let (rows, notices): ([Rows], [Notice])
    do throws(PostgreSQLError) {
      (rows, notices) = try connection.run([
        Statement(
          "UPDATE \(names.ledger) SET state = 'open' WHERE ledger = $1 AND state = 'building'",
          [.int4(entry.number)])
      ])
    } catch {
      guard error.mayHaveTakenEffect else { throw LedgerError(error, in: names) }
      throw LedgerError(
        .commitOutcomeUnknown,
        "The connection was lost while the imported ledger was made visible. If it is not there, import it again.",
        cause: error)
    }
    guard !notices.contains(where: \.isAboutDurability) else {
      throw LedgerError(
        .commitOutcomeUnknown,
        "The wait for a standby was cancelled while the imported ledger was made visible. It is there, but a failover may lose it. Delete it and import it again, or use it once a standby has caught up."
      )
    }
    guard rows[0].changedCount == 1 else {
      throw LedgerError(
        .internalInconsistency, "The imported ledger disappeared before it was made visible.")
    }
  }

  private func onServer<R>(
    _ calls: () throws(PostgreSQLError) -> R
  ) throws(LedgerError) -> R {
    try LedgerError.onServer(names, calls)
  }
}
