import ArgumentParser
import Foundation
import LedgerVerbs

/// The tool for ledgers in directories.
struct FileTool: Tool {
  let name = "promise-ledger"
  let abstract = "Inspects a promise ledger, compacts it, and acts on its promises."

  let wording = ToolWording(
    placeholder: "PATH", ledger: "shop.ledger", archive: "backup.jsonl",
    ambiguousNames: "A path that looks like a number is given as ./120.",
    sameLedger: "to the same path")

  var ownVerbs: [any ParsableCommand.Type] {
    [CompactCommand.self, BackupCommand.self, SalvageCommand.self]
  }

  var ledgerOptions: any LedgerOptions.Type { FileOptions.self }
  var sharedOptions: any SharedOptions.Type { SharedFileOptions.self }
  var newLedgerOptions: any NewLedgerOptions.Type { NewDirectoryOptions.self }

  var silence: (status: Status, advice: String) {
    (
      .corrupt,
      "The disk may be slow, or the ledger may be damaged: raise --timeout, and if that does not help, verify the ledger."
    )
  }

  func mayNameLedger(_ word: String) -> Bool { FileManager.default.fileExists(atPath: word) }
}
