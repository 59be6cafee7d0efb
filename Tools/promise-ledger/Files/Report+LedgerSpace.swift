import LedgerVerbs
import PromiseLedger

extension Report {
  /// The space that a ledger takes on disk, and the processes that read it.
  mutating func add(_ space: LedgerSpace) {
    add("file bytes", "fileBytes", space.fileByteCount)
    add("free bytes", "freeBytes", space.freeByteCount)
    add("reserved bytes", "reservedBytes", space.reservedByteCount)
    if space.leftoverByteCount > 0 {
      add(
        "leftover bytes", "leftoverBytes", .integer(Int64(space.leftoverByteCount)),
        text: "\(space.leftoverByteCount), of an interrupted shrink; the next session removes them")
    }
    add(space.readers)
    add(space.tables)
  }

  private mutating func add(_ readers: [LedgerSpace.Reader]) {
    for reader in readers {
      addLine(
        "reader", "process \(reader.processID), \(reader.transactionsBehind) transactions behind")
    }
    add(
      "readers",
      .array(
        readers.map { reader in
          .object([
            "process": .integer(Int64(reader.processID)),
            "transactionsBehind": .integer(Int64(reader.transactionsBehind)),
          ])
        }))
  }

  private mutating func add(_ tables: [LedgerSpace.Table]) {
    var members: [String: JSONValue] = [:]
    for table in tables {
      members[table.name] = .object([
        "records": .integer(Int64(table.recordCount)), "bytes": .integer(Int64(table.byteCount)),
      ])
      addLine(
        "table \(table.name)", "\(table.recordCount) records, \(table.byteCount) bytes")
    }
    add("tables", .object(members))
  }
}
