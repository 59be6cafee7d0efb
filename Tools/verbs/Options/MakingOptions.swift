import ArgumentParser
import LedgerRuntime

/// The name of a new ledger, with the options of the tool.
struct MakingOptions: NewLedgerOptions, CustomReflectable {
  private var own: any NewLedgerOptions

  init() { own = Program.tool.newLedgerOptions.init() }

  init(from decoder: any Decoder) throws {
    own = try Program.tool.newLedgerOptions.init(from: decoder)
  }

  var customMirror: Mirror { Mirror(reflecting: own) }

  mutating func validate() throws { try own.validate() }

  func makeLedger(
    from archives: [String], by importer: LedgerImport
  ) throws(LedgerError) -> ArchiveSummary {
    try own.makeLedger(from: archives, by: importer)
  }
}
