package import ArgumentParser

/// A command that works in a process of its own, so that nothing that it reads can end the tool.
package protocol ChildCommand: ParsableCommand {
  /// How long it may show no sign of life, in seconds.
  var timeoutInSeconds: Double { get }

  /// Whether it reads standard input, to its end and before anything else.
  var readsInput: Bool { get }

  /// The file that records how far the output went; `nil` if there is none.
  var markFile: String? { get }

  /// Whether it changes a ledger. Such a command finishes even if its output is no longer read.
  var changesLedger: Bool { get }

  /// Does the work, in the child.
  func perform(_ sink: any TextSink) throws
}

extension ChildCommand {
  package var readsInput: Bool { false }
  package var markFile: String? { nil }
  package var changesLedger: Bool { false }
}

/// A command that works on a ledger, in a process of its own. It does not write to the ledger
/// unless its documentation says so.
package protocol LedgerCommand: ChildCommand {
  associatedtype Reading: LedgerOptions

  var reading: Reading { get }
}

extension LedgerCommand {
  package var timeoutInSeconds: Double { reading.timeout }
}
