import ArgumentParser
import LedgerVerbs
import PromiseLedgerPostgreSQL

/// `promise-ledger-postgresql ledgers`: the ledgers of a schema.
struct LedgersCommand: SchemaCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledgers",
    abstract: "Lists the ledgers of a schema.",
    discussion: """
      The column replay has the number of events after the snapshot, which each opening replays: \
      if it keeps growing, no session compacts that ledger. A ledger is open; or sealed, so that \
      nothing more is written; or building while it is imported, or after its import died.
      """)

  @OptionGroup var server: SchemaOptions
  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    var printer = try RecordPrinter(output.format, Record.ledgerColumns, to: sink)
    let ledgers = try server.schemaPlace().ledgersOfSchema()
    try printer.printAll { printer in
      for ledger in ledgers { try printer.print(Record(ledger)) }
    }
  }
}

extension Record {
  fileprivate static let ledgerColumns = [
    Column("state", width: 8), Column("events", width: 12, isRightAligned: true),
    Column("replay", width: 12, isRightAligned: true), Column("ledger", width: 36), Column("name"),
  ]

  fileprivate init(_ ledger: ListedLedger) {
    let tail = ledger.head.rawValue - min(ledger.snapshotPosition, ledger.head).rawValue
    self.init(
      cells: [
        ledger.state, "\(ledger.head)", "\(tail)", "\(ledger.id)",
        ledger.name.escapingControlCharacters,
      ],
      json: .object([
        "name": .string(ledger.name), "ledger": .string("\(ledger.id)"),
        "state": .string(ledger.state), "head": .unsigned(ledger.head.rawValue),
        "snapshotPosition": .unsigned(ledger.snapshotPosition.rawValue),
      ]))
  }
}
