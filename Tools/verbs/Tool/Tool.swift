package import ArgumentParser

/// A program with these verbs. It has the ledgers of one kind of store, and names them in its own way.
package protocol Tool: Sendable {
  /// The name of the program.
  var name: String { get }

  /// What it does, in one sentence.
  var abstract: String { get }

  /// How its help speaks of ledgers.
  var wording: ToolWording { get }

  /// The verbs that not every tool has, in the order of the help.
  var ownVerbs: [any ParsableCommand.Type] { get }

  /// The options of a verb that uses one ledger.
  var ledgerOptions: any LedgerOptions.Type { get }

  /// The options of a verb that reads several ledgers.
  var sharedOptions: any SharedOptions.Type { get }

  /// The options of a verb that makes a ledger.
  var newLedgerOptions: any NewLedgerOptions.Type { get }

  /// What it means if a ledger is read for long without progress, and what helps.
  var silence: (status: Status, advice: String) { get }

  /// Whether a first word that is no verb may name a ledger. Otherwise it is a verb with a typing error.
  func mayNameLedger(_ word: String) -> Bool
}

/// The parts of the help that depend on how a tool names ledgers.
package struct ToolWording: Sendable {
  /// What stands for the name of a ledger in a command line.
  let placeholder: String
  /// The name of a ledger, as an example.
  let ledger: String
  /// The name of an archive, as an example.
  let archive: String
  /// A sentence about names that `diff` could take for something else.
  let ambiguousNames: String
  /// How another import makes the same ledger, as in "to the same path".
  let sameLedger: String

  package init(
    placeholder: String, ledger: String, archive: String, ambiguousNames: String,
    sameLedger: String
  ) {
    self.placeholder = placeholder
    self.ledger = ledger
    self.archive = archive
    self.ambiguousNames = ambiguousNames
    self.sameLedger = sameLedger
  }
}
