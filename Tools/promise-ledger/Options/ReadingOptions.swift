import ArgumentParser
import PromiseLedger

/// The options of every command that reads a ledger.
struct ReadingOptions: ParsableArguments {
  @Argument(help: "The directory of the ledger.", completion: .directory)
  var path: String

  @OptionGroup var access: AccessOptions

  var withoutLock: Bool { access.withoutLock }
  var timeout: Double { access.patience.timeout }
  var pulseInterval: Duration { access.pulseInterval }

  func open() throws -> BlockingInspector { try access.open(path) }
}

/// The options for the way of reading a ledger.
struct AccessOptions: ParsableArguments {
  @Flag(
    help: """
      Do not register as a reader, so that a directory can be read without permission to write. \
      Only for a ledger that no process has open.
      """)
  var withoutLock = false

  @OptionGroup var patience: PatienceOption

  /// How often silent work shows that it is still running: well within the timeout.
  var pulseInterval: Duration { .seconds(min(1, patience.timeout / 4)) }

  func open(_ path: String) throws -> BlockingInspector {
    do throws(LedgerError) {
      return try BlockingInspector(at: path, locking: !withoutLock)
    } catch {
      guard error.code == .permissionDenied, !withoutLock else { throw error }
      throw Status.Failure(
        Status(error.code),
        "\(error) To read a ledger that no process has open, use --without-lock.")
    }
  }
}

/// The option of every command that works in a process of its own.
struct PatienceOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How long the command may make no progress before it is ended.",
      valueName: "seconds"))
  var timeout = 30.0

  func validate() throws {
    guard timeout >= 0.1, timeout <= 86_400 else {
      throw ValidationError("The timeout must be between 0.1 and 86400 seconds.")
    }
  }
}

/// The options of every command whose output has a format.
struct FormatOptions: ParsableArguments {
  @Option(help: "The format of the output.")
  var format: OutputFormat = .table
}
