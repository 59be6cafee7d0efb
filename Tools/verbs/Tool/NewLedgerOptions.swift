package import ArgumentParser
package import LedgerRuntime

/// The options by which a tool names a new ledger.
package protocol NewLedgerOptions: ParsableArguments, Sendable {
  /// Makes the ledger from archives.
  func makeLedger(
    from archives: [String], by importer: LedgerImport
  ) throws(LedgerError) -> ArchiveSummary
}
