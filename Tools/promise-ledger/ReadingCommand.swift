import ArgumentParser

/// A command that reads a ledger and writes nothing to it. It does so in a process of its own.
protocol ReadingCommand: ParsableCommand {
  var reading: ReadingOptions { get }

  /// Does the work, in the child.
  func read(_ output: any TextSink) throws
}
