import ArgumentParser
import LedgerVerbs
import PromiseLedger

/// The directory of a new ledger.
struct NewDirectoryOptions: NewLedgerOptions {
  @Argument(
    help: "The directory of the new ledger. Nothing may exist there.", completion: .directory)
  var path: String

  func makeLedger(
    from archives: [String], by importer: LedgerImport
  ) throws(LedgerError) -> ArchiveSummary {
    try importer.makeLedger(at: path, from: archives)
  }
}
