import ArgumentParser
import Foundation
import PromiseLedger

/// The command `promise-ledger`.
@main
struct PromiseLedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promise-ledger",
    abstract: "Inspects a promise ledger, compacts it, and acts on its promises.",
    discussion: """
      Data goes to standard output, notes to standard error. Exit codes: \
      0 success, 1 findings, a different digest or refused changes, 2 usage, 3 not found or \
      ambiguous, 4 busy, 5 corrupt, 6 incompatible format, 74 system failure.
      """,
    version: Ledger.libraryVersion,
    subcommands: readingVerbs + servingVerbs + otherVerbs,
    defaultSubcommand: OverviewCommand.self)

  private static let readingVerbs: [any ParsableCommand.Type] = [
    OverviewCommand.self, LogCommand.self, ShowCommand.self, PromisesCommand.self,
    HandlersCommand.self, WorkCommand.self, SessionsCommand.self, TreeCommand.self,
    TraceCommand.self, ExplainCommand.self, StateCommand.self, DiffCommand.self,
    ReportCommand.self,
  ]

  #if Serve
    private static let servingVerbs: [any ParsableCommand.Type] = [ServeCommand.self]
  #else
    private static let servingVerbs: [any ParsableCommand.Type] = []
  #endif

  private static let otherVerbs: [any ParsableCommand.Type] = [
    GraphCommand.self, StatsCommand.self, VerifyCommand.self,
    DigestCommand.self, CompactCommand.self, BackupCommand.self, SalvageCommand.self,
    ExportCommand.self, ImportCommand.self, RecordCommand.self, ReplayCommand.self,
    RetryCommand.self, ParkCommand.self, ResolveCommand.self, RejectCommand.self,
    CancelCommand.self, AbandonCommand.self, ForceCommand.self, InvalidateCommand.self,
    CompletionCommand.self, ManualCommand.self,
  ]

  /// Runs the command. It replaces the parser's, because the exit codes are ours.
  static func main() {
    ClosedStreams.occupy()
    StandardOutput.makeClosedPipeAnError()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let status =
      switch arguments.first {
      case ReadingChild.word: ReadingChild.run(Array(arguments.dropFirst()))
      case ResourceProbe.word: ResourceProbe.run()
      default: run(arguments)
      }
    exit(withError: status == .fine ? nil : ExitCode(status.rawValue))
  }

  private static func run(_ arguments: [String]) -> Status {
    do {
      try ProgramArguments.check()
      var command = try parseAsRoot(arguments.isEmpty ? ["--help"] : arguments)
      if let command = command as? any ChildCommand {
        return try ReadingParent.run(
          arguments, timeout: .seconds(command.timeoutInSeconds),
          input: command.readsInput ? try StandardInput.readAll() : nil,
          markFile: command.markFile)
      }
      try command.run()
      return .fine
    } catch {
      return report(error, about: arguments)
    }
  }

  /// Whether a first word that is no verb is no path of a ledger either, so that it is a verb with a typing error.
  private static func isUnknownVerb(_ word: String) -> Bool {
    let verbs = configuration.subcommands.map { $0.configuration.commandName } + ["help"]
    return !word.hasPrefix("-") && !verbs.contains(word)
      && !FileManager.default.fileExists(atPath: word)
  }

  /// Prints the error on standard error, or the requested help on standard output.
  private static func report(_ error: any Error, about arguments: [String]) -> Status {
    if let failure = Status.Failure(error) {
      if let message = failure.message { StandardError.note(message) }
      return failure.status
    }
    let isHelp = exitCode(for: error).isSuccess
    if !isHelp, let word = arguments.first, isUnknownVerb(word) {
      StandardError.note(
        "There is no verb \(word), and no such file. For a list of the verbs, use --help."
      )
      return .usage
    }
    // The message repeats words of the command line.
    let message = fullMessage(for: error).escapingLines(echoing: arguments)
    guard isHelp else {
      StandardError.write(message)
      return .usage
    }
    let output = DirectOutput()
    do {
      try output.write(message + "\n")
      try output.flush()
    } catch {
      // Help that cannot be written is a failure like any other.
      return report(error, about: arguments)
    }
    return .fine
  }
}
