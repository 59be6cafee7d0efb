import Testing

/// The texts of `--help`: data, and exact.
@Suite(.timeLimit(.minutes(10)))
struct HelpTests {
  @Test func theToolNamesItsVerbs() throws {
    let run = try CommandRun("--help")
    #expect(
      run.output == """
        OVERVIEW: Looks into a promise ledger, and keeps it small.

        Data goes to standard output, notes to standard error. Exit codes: 0 fine, 1
        findings or a difference, 2 usage, 3 not found, 4 busy, 5 corrupt, 6
        incompatible format, 74 a failure of the system.

        USAGE: promise-ledger <subcommand>

        OPTIONS:
          -h, --help              Show help information.

        SUBCOMMANDS:
          log                     Prints the events of a ledger in their order.
          show                    Prints the life of one promise or handler: its
                                  events, their causes and effects.
          promises                Lists promises by their state.
          handlers                Lists handlers by their state.
          stats                   Counts events, promises, handlers and sessions, and
                                  the space that they take.
          verify                  Checks a ledger and lists what is wrong with it.
          digest                  Prints a SHA-256 of all events, to be compared with
                                  one written down elsewhere.
          compact                 Prints what compaction would do, and does it with
                                  --apply.
          export                  Writes all events as an archive, which import makes a
                                  ledger of.
          import                  Makes a new ledger of archives.

          See 'promise-ledger help <subcommand>' for detailed help.

        """)
    #expect(run.notes == "" && run.status == 0)
    #expect(try CommandRun([]).output == run.output)
  }

  @Test(arguments: [
    "log", "show", "promises", "handlers", "stats", "verify", "digest", "compact", "export",
    "import",
  ])
  func everyVerbTellsItsUse(verb: String) throws {
    let run = try CommandRun(verb, "--help")
    #expect(run.output.hasPrefix("OVERVIEW: "))
    // A verb with many options has them left out here.
    let use = run.output.replacing("[<options>] ", with: "")
    #expect(use.contains("\nUSAGE: promise-ledger \(verb) <path>"))
    #expect(run.output.hasSuffix("  -h, --help              Show help information.\n\n"))
    #expect(
      run.output.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") })
    #expect(run.notes == "" && run.status == 0)
    #expect(try CommandRun("help", verb).output == run.output)
    #expect(try CommandRun(intoClosedPipe: verb, "--help").status == 0)
  }

  @Test func helpOfHandlers() throws {
    #expect(
      try CommandRun("handlers", "--help").output == """
        OVERVIEW: Lists handlers by their state.

        Without --state these are the handlers that can be called, and those that have
        a call that is not finished, in the order of their creation. With it, the
        others come before them, in the order of their ends. A handler must fit all
        that is asked for. The list is of one moment; space that a compaction frees is
        used again only once it is printed.

        USAGE: promise-ledger handlers <path> [--without-lock] [--timeout <seconds>] [--state <state> ...] [--kind <name> ...] [--scope <scope> ...] [--limit <count>] [--format <format>]

        ARGUMENTS:
          <path>                  The directory of the ledger.

        OPTIONS:
          --without-lock          Do not register as a reader, so that a directory can
                                  be read without permission to write. Only for a
                                  ledger that no process has open.
          --timeout <seconds>     How long the command may show no sign of life before
                                  it is ended. (default: 30.0)
          --state <state>         Print only handlers in this state; may be repeated.
                                  (values: active, finished, invalidated)
          --kind <name>           Print only handlers of this kind; may be repeated.
          --scope <scope>         Print only handlers with this scope; may be repeated.
          --limit <count>         Print at most this many handlers.
          --format <format>       How the output looks. (values: table, json, jsonl;
                                  default: table)
          -h, --help              Show help information.


        """)
  }

  @Test func helpOfCompact() throws {
    #expect(
      try CommandRun("compact", "--help").output == """
        OVERVIEW: Prints what compaction would do, and does it with --apply.

        Compaction folds events into the snapshot, removes records of what ended long
        ago, and deletes folded events that are old enough, after writing them to an
        archive if --archive says so. Without --apply nothing is written. Records that
        end in events that are not folded yet are not counted in the plan, but they may
        go, too. It goes on beside readers and writers, may be interrupted at any time,
        and the next one goes on where it ended. Exit code 4 says that another one is
        under way or that a writer does not go on; if an event cannot be folded, the
        exit code is 1 or 5 and no event is deleted.

        USAGE: promise-ledger compact <path> [--without-lock] [--timeout <seconds>] [--apply] [--keep-events-for <duration>] [--keep-events <count>] [--keep-records-for <duration>] [--archive <directory>] [--fold-only] [--progress] [--format <format>]

        ARGUMENTS:
          <path>                  The directory of the ledger.

        OPTIONS:
          --without-lock          Do not register as a reader, so that a directory can
                                  be read without permission to write. Only for a
                                  ledger that no process has open.
          --timeout <seconds>     How long the command may show no sign of life before
                                  it is ended. (default: 30.0)
          --apply                 Compact. The session that does it is written to the
                                  ledger, with the role operator.
          --keep-events-for <duration>
                                  How long events are kept at least: seconds, or such
                                  as 7d, 12h, 30m, forever. (default: 7d)
          --keep-events <count>   How many of the newest events are kept at least.
                                  (default: 1000)
          --keep-records-for <duration>
                                  How long records of what ended are kept at least.
                                  (default: 30d)
          --archive <directory>   Write events to a file in this directory before they
                                  are deleted; import takes such files.
          --fold-only             Fold events into the snapshot only; delete no event
                                  and remove no record.
          --progress              Say on standard error how far it is, also if that is
                                  no terminal.
          --format <format>       How the output looks. (values: table, json, jsonl;
                                  default: table)
          -h, --help              Show help information.


        """)
  }
}
