import ArgumentParser

/// The command `promise-ledger`.
@main
struct PromiseLedgerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promise-ledger",
    abstract: "Looks into a promise ledger.",
    discussion: """
      Data goes to standard output, notes to standard error. Exit codes: \
      0 fine, 1 findings, 2 usage, 3 not found, 4 busy, 5 corrupt, 6 incompatible format, \
      74 a failure of the system.
      """,
    subcommands: [LogCommand.self])

  /// Runs the command. It is our own because the exit codes are.
  static func main() async {
    StandardOutput.makeClosedPipeAnError()
    var status = Status.fine
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      status = report(error)
    }
    exit(withError: status == .fine ? nil : ExitCode(status.rawValue))
  }

  /// Says on standard error what went wrong, or on standard output what was asked for.
  private static func report(_ error: any Error) -> Status {
    if let failure = Status.Failure(error) {
      if let message = failure.message { StandardError.note(message) }
      return failure.status
    }
    let isHelp = exitCode(for: error).isSuccess
    let message = fullMessage(for: error)
    guard isHelp else {
      StandardError.write(message)
      return .usage
    }
    var output = StandardOutput()
    do {
      try output.write(message + "\n")
      try output.flush()
    } catch {
      return Status.Failure(error)?.status ?? .systemFailure
    }
    return .fine
  }
}
