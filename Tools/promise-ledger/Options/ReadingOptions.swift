import ArgumentParser
import PromiseLedger

/// What every command that reads a ledger takes.
struct ReadingOptions: ParsableArguments {
  @Argument(help: "The directory of the ledger.", completion: .directory)
  var path: String

  @Flag(
    help: """
      Do not register as a reader, so that a directory can be read without permission to write. \
      Only for a ledger that no process has open.
      """)
  var withoutLock = false

  @Option(
    help: ArgumentHelp(
      "How long reading may show no sign of life before it counts as caught in a damaged file.",
      valueName: "seconds"))
  var timeout = 30.0

  func validate() throws {
    guard timeout >= 0.1, timeout <= 86_400 else {
      throw ValidationError("The timeout must be between 0.1 and 86400 seconds.")
    }
  }

  func open() throws(LedgerError) -> LedgerInspector {
    try Ledger.inspect(at: path, locking: !withoutLock)
  }
}

/// What every command takes whose output has a form.
struct FormatOptions: ParsableArguments {
  @Option(help: "How the output looks.")
  var format: OutputFormat = .table
}
