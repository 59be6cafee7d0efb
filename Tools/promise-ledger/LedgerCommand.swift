import ArgumentParser

/// A command that works on a ledger, in a process of its own. Unless it says otherwise it writes
/// nothing to it.
protocol LedgerCommand: ParsableCommand {
  var reading: ReadingOptions { get }

  /// Does the work, in the child.
  func perform(_ sink: any TextSink) throws
}
