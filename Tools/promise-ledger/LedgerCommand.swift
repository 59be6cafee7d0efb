import ArgumentParser

/// A command that works on a ledger, in a process of its own. It does not write to the ledger
/// unless its documentation says so.
protocol LedgerCommand: ParsableCommand {
  var reading: ReadingOptions { get }

  /// Does the work, in the child.
  func perform(_ sink: any TextSink) throws
}
