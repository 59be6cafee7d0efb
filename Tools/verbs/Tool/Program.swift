import ArgumentParser
import Synchronization

/// The process of a tool.
package enum Program {
  private static let installed = Mutex<(any Tool)?>(nil)

  /// The tool that runs.
  static var tool: any Tool {
    guard let tool = installed.withLock(\.self) else {
      preconditionFailure("Program.install has to come before everything else.")
    }
    return tool
  }

  /// Makes this process that of a tool. The parser knows commands as types, which have no other place for it.
  package static func install(_ tool: some Tool) { installed.withLock { $0 = tool } }

  /// Runs the command line of this process as a command of a tool.
  package static func run(as tool: some Tool) -> Never {
    install(tool)
    ClosedStreams.occupy()
    StandardOutput.makeClosedPipeAnError()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let status =
      switch arguments.first {
      case ReadingChild.word: ReadingChild.run(Array(arguments.dropFirst()))
      case ResourceProbe.word: ResourceProbe.run()
      default: run(arguments)
      }
    ToolCommand.exit(withError: status == .fine ? nil : ExitCode(status.rawValue))
  }

  private static func run(_ arguments: [String]) -> Status {
    do {
      try ProgramArguments.check()
      var command = try ToolCommand.parseAsRoot(arguments.isEmpty ? ["--help"] : arguments)
      if let command = command as? any ChildCommand {
        return try ReadingParent.run(
          arguments, timeout: .seconds(command.timeoutInSeconds),
          input: command.readsInput ? try StandardInput.readAll() : nil,
          markFile: command.markFile, endsWithOutput: !command.changesLedger)
      }
      try command.run()
      return .fine
    } catch {
      return report(error, about: arguments)
    }
  }

  /// Whether a first word is neither a verb nor a ledger, so that it is a verb with a typing error.
  private static func isUnknownVerb(_ word: String) -> Bool {
    let verbs = ToolCommand.configuration.subcommands.map { $0.configuration.commandName }
    return !word.hasPrefix("-") && !(verbs + ["help"]).contains(word) && !tool.mayNameLedger(word)
  }

  /// Prints the error on standard error, or the requested help on standard output.
  private static func report(_ error: any Error, about arguments: [String]) -> Status {
    if let failure = Status.Failure(error) {
      if let message = failure.message { StandardError.note(message) }
      return failure.status
    }
    let isHelp = ToolCommand.exitCode(for: error).isSuccess
    if !isHelp, let word = arguments.first, isUnknownVerb(word) {
      StandardError.note(
        "There is no verb \(word), and no such file. For a list of the verbs, use --help."
      )
      return .usage
    }
    // The message repeats words of the command line.
    let message = ToolCommand.fullMessage(for: error).escapingLines(echoing: arguments)
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
