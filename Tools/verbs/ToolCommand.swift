import ArgumentParser
import LedgerRuntime

/// The command of the tool that runs.
struct ToolCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Program.tool.name,
    abstract: Program.tool.abstract,
    discussion: """
      Data goes to standard output, notes to standard error. Exit codes: \
      0 success, 1 findings, a different digest or refused changes, 2 usage, 3 not found or \
      ambiguous, 4 busy, 5 corrupt, 6 incompatible format, 74 system failure.
      """,
    version: Ledger.libraryVersion,
    subcommands: readingVerbs + servingVerbs + wholeVerbs + Program.tool.ownVerbs + otherVerbs,
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

  private static let wholeVerbs: [any ParsableCommand.Type] = [
    GraphCommand.self, StatsCommand.self, VerifyCommand.self, DigestCommand.self,
  ]

  private static let otherVerbs: [any ParsableCommand.Type] = [
    ExportCommand.self, ImportCommand.self, RecordCommand.self, ReplayCommand.self,
    RetryCommand.self, ParkCommand.self, ResolveCommand.self, RejectCommand.self,
    CancelCommand.self, AbandonCommand.self, ForceCommand.self, InvalidateCommand.self,
    CompletionCommand.self, ManualCommand.self,
  ]
}
