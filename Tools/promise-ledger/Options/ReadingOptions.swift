import ArgumentParser
import PromiseLedger

/// Options of a command that works in a process of its own.
///
/// A group of options contains no other one: a build for debugging has the parser check a group five times for each
/// time that it checks the group around it, at every start.
protocol PatienceOptions: ParsableArguments {
  /// How long the command may make no progress, in seconds.
  var timeout: Double { get }
}

extension PatienceOptions {
  /// How often silent work shows that it is still running: well within the timeout.
  var pulseInterval: Duration { .seconds(min(1, timeout / 4)) }

  func validate() throws {
    guard timeout >= 0.1, timeout <= 86_400 else {
      throw ValidationError("The timeout must be between 0.1 and 86400 seconds.")
    }
  }
}

/// Options for the way of reading a ledger.
protocol AccessOptions: PatienceOptions {
  var withoutLock: Bool { get }
}

extension AccessOptions {
  /// - Parameter writes: Whether the command writes to the ledger, for which it needs the lock.
  func open(_ path: String, toWrite writes: Bool = false) throws -> BlockingInspector {
    do throws(LedgerError) {
      return try BlockingInspector(at: path, locking: !withoutLock)
    } catch {
      guard error.code == .permissionDenied, !withoutLock else { throw error }
      let other = writes ? "" : " If no process has the ledger open, --without-lock only reads."
      throw Status.Failure(
        Status(error.code),
        "\(error.code): Permission to open the ledger \(path.escapingControlCharacters) is denied. Run the command as a user who may read and write its files.\(other)"
      )
    }
  }
}

extension ArgumentHelp {
  fileprivate static let withoutLock: Self = """
    Do not register as a reader, so that a directory can be read without permission to write. \
    Only for a ledger that no process has open.
    """

  fileprivate static let timeout = ArgumentHelp(
    "How long the command may make no progress before it is ended.", valueName: "seconds")
}

/// The options of every command that reads one ledger.
struct ReadingOptions: AccessOptions {
  @Argument(help: "The directory of the ledger.", completion: .directory)
  var path: String

  @Flag(help: .withoutLock)
  var withoutLock = false

  @Option(help: .timeout)
  var timeout = 30.0

  func open(toWrite writes: Bool = false) throws -> BlockingInspector {
    try open(path, toWrite: writes)
  }

  /// Opens the ledger in order to follow it.
  func openToFollow() throws -> (ledger: BlockingInspector, directory: FollowedDirectory) {
    // First, so that a replacement meanwhile is noticed. If there is nothing, opening the ledger says so.
    let directory = Result { try FollowedDirectory(path) }
    return (try open(), try directory.get())
  }
}

/// The options of a command that reads several ledgers.
struct SharedAccessOptions: AccessOptions {
  @Flag(help: .withoutLock)
  var withoutLock = false

  @Option(help: .timeout)
  var timeout = 30.0
}

/// The option of a command that reads no ledger.
struct PatienceOption: PatienceOptions {
  @Option(help: .timeout)
  var timeout = 30.0
}

/// The options of every command whose output has a format.
struct FormatOptions: ParsableArguments {
  @Option(help: "The format of the output.")
  var format: OutputFormat = .table
}
