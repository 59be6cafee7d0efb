import Testing

/// The texts of `--help`: data, and exact.
@Suite(.timeLimit(.minutes(10)))
struct HelpTests {
  @Test func theToolNamesItsVerbs() throws {
    let run = try CommandRun("--help")
    #expect(
      run.output == """
        OVERVIEW: Inspects a promise ledger, compacts it, and acts on its promises.

        Data goes to standard output, notes to standard error. Exit codes: 0 success, 1
        findings, a different digest or refused changes, 2 usage, 3 not found or
        ambiguous, 4 busy, 5 corrupt, 6 incompatible format, 74 system failure.

        USAGE: promise-ledger <subcommand>

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        SUBCOMMANDS:
          overview (default)      Prints what failed, what is stuck and what waits, and
                                  the next command for each.
          log                     Prints the events of a ledger in their order.
          show                    Prints the life of one promise or handler: its
                                  events, their causes and effects.
          promises                Lists promises by their state.
          handlers                Lists handlers by their state.
          work                    Lists pending work by its state, and work that failed.
          sessions                Lists sessions, and whether their processes are alive.
          tree                    Prints a promise and everything below it: children,
                                  inputs, and work that awaits it.
          trace                   Prints the history of work as a waterfall of its
                                  attempts, steps and waits.
          explain                 Prints why a promise, its work, or a handler waits,
                                  and what would end that.
          state                   Lists everything in a ledger, now or after an earlier
                                  event.
          diff                    Lists what is different between two positions of a
                                  ledger, or between two ledgers.
          report                  Writes a page about a ledger for a browser, in one
                                  file.
          serve                   Shows a ledger in a browser on this machine, and its
                                  changes as they come.
          graph                   Prints relations of promises, work and handlers as
                                  Mermaid or DOT.
          stats                   Counts events, promises, handlers and sessions, and
                                  the space that they take.
          verify                  Checks a ledger and lists what is wrong with it.
          digest                  Prints a SHA-256 of all events, to compare with one
                                  recorded elsewhere.
          compact                 Prints what a compaction would do; with --apply,
                                  compacts.
          backup                  Copies a ledger, while other processes use it, and
                                  verifies the copy.
          salvage                 Makes a new ledger of what is intact in a damaged
                                  one, and lists what was lost.
          export                  Writes all events to an archive, from which import
                                  makes a ledger.
          import                  Makes a new ledger from archives.
          record                  Records the history of a ledger in a file, for replay.
          replay                  Replays recordings, and lists where this build makes
                                  something else of them.
          retry                   Makes work due at once: parked work, or work that
                                  waits for a time.
          park                    Keeps work from being run until retry makes it due
                                  again.
          resolve                 Fulfils promises that nothing else settles.
          reject                  Rejects promises that nothing else settles.
          cancel                  Cancels work, or a promise that nothing else settles.
          abandon                 Gives up a promise for good: it can no longer be
                                  resolved or consumed.
          force                   Settles a promise at once, even one that code settles.
          invalidate              Withdraws handlers for good: they can no longer be
                                  called.
          completion              Prints a script by which a shell completes verbs,
                                  options and their values.
          manual                  Prints the manual page, made of the same texts as the
                                  help.

          See 'promise-ledger help <subcommand>' for detailed help.

        """)
    #expect(run.notes == "" && run.status == 0)
    #expect(try CommandRun([]).output == run.output)
  }

  /// The arguments of verbs that do not begin with a ledger.
  private static let uses = [
    "diff": "<side> ...", "replay": "<files> ...", "completion": "<shell>", "manual": "",
  ]

  @Test(arguments: VerbExample.all.map(\.verb))
  func everyVerbTellsItsUse(verb: String) throws {
    let run = try CommandRun(verb, "--help")
    #expect(run.output.hasPrefix("OVERVIEW: "))
    // A verb with many options has them left out here.
    let use = run.output.replacing("[<options>] ", with: "")
    let words = Self.uses[verb, default: "<path>"]
    #expect(use.contains("\nUSAGE: promise-ledger \(verb)\(words.isEmpty ? "" : " ")\(words)"))
    #expect(run.output.hasSuffix("  -h, --help              Show help information.\n\n"))
    #expect(
      run.output.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") })
    #expect(run.notes == "" && run.status == 0)
    #expect(try CommandRun("help", verb).output == run.output)
  }

  @Test(arguments: [["lgo", "ledger"], ["lgo", "ledger", "--tail", "8"], ["Log", "--tail=8"]])
  func aVerbThatDoesNotExistIsSaid(arguments: [String]) throws {
    let run = try CommandRun(arguments)
    #expect(
      run.notes == """
        promise-ledger: There is no verb \(arguments[0]), and no such file. For a list of the verbs, use --help.

        """)
    #expect(run.output == "" && run.status == 2)
  }

  /// Help is printed alike for all verbs, before any of them begins.
  @Test(arguments: [["--help"], ["log", "--help"], ["help", "log"]])
  func helpIntoAClosedPipeIsNoFailure(arguments: [String]) throws {
    let run = try CommandRun(intoClosedPipe: arguments)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func helpOfHandlers() throws {
    #expect(
      try CommandRun("handlers", "--help").output == """
        OVERVIEW: Lists handlers by their state.

        Without --state, the list has the handlers that can be called and those with an
        unfinished call, in the order of their creation, and after them those that
        ended among the newest 100000 events with a failure. With --state, the other
        handlers come first, in the order of their ends; --state failed lists every
        handler whose newest run failed. With several options, the list has only
        handlers that match all of them. It shows one moment; space that a compaction
        frees is reused only after the list is printed.

        USAGE: promise-ledger handlers <path> [--without-lock] [--timeout <seconds>] [--state <state> ...] [--kind <name> ...] [--scope <scope> ...] [--older <duration>] [--at <position>] [--limit <count>] [--format <format>]

        ARGUMENTS:
          <path>                  The directory of the ledger.

        OPTIONS:
          --without-lock          Do not register as a reader, so that a directory can
                                  be read without permission to write. Only for a
                                  ledger that no process has open.
          --timeout <seconds>     How long the command may make no progress before it
                                  is ended. (default: 30.0)
          --state <state>         Print only handlers in this state; may be repeated.
                                  (values: active, finished, invalidated, failed)
          --kind <name>           Only those of this kind of code; may be repeated.
          --scope <scope>         Only those with this scope; with several, only those
                                  with all of them.
          --older <duration>      Only those that have had their state for at least
                                  this long, such as 1h.
          --at <position>         Show the state after the event at this position,
                                  instead of the newest.
          --limit <count>         At most this many.
          -o, --format <format>   The format of the output; ids prints only whole ids,
                                  one a line. (values: table, json, jsonl, ids;
                                  default: table)
          --version               Show the version.
          -h, --help              Show help information.


        """)
  }

  @Test func helpOfCompact() throws {
    #expect(
      try CommandRun("compact", "--help").output == """
        OVERVIEW: Prints what a compaction would do; with --apply, compacts.

        Compaction folds events into the snapshot, removes records of promises,
        handlers and sessions that ended long ago, and deletes folded events that are
        old enough. With --archive, it writes events to an archive before it deletes
        them. Without --apply, nothing is written. The plan does not count records
        whose last events are not folded yet; a compaction may remove these, too. Other
        processes may read and write in the meantime. A compaction may be interrupted
        at any time, and the next one continues its work. Exit code 4 means that
        another compaction is running, or that a writer makes no progress. If an event
        cannot be folded, the exit code is 1 or 5, and no event is deleted.

        The data file keeps its size, and new events are written into its free space.
        With --shrink, the command then copies the data into a new file, verifies it,
        and moves the ledger to it. Other processes go on with the new file by
        themselves. The disk must have room for the copy.

        USAGE: promise-ledger compact <path> [--without-lock] [--timeout <seconds>] [--apply] [--shrink] [--keep-events-for <duration>] [--keep-events <count>] [--keep-records-for <duration>] [--archive <directory>] [--fold-only] [--progress] [--format <format>]

        ARGUMENTS:
          <path>                  The directory of the ledger.

        OPTIONS:
          --without-lock          Do not register as a reader, so that a directory can
                                  be read without permission to write. Only for a
                                  ledger that no process has open.
          --timeout <seconds>     How long the command may make no progress before it
                                  is ended. (default: 30.0)
          --apply                 Compact. The ledger records the session, with the
                                  role operator.
          --shrink                Then give the free space of the data file back to the
                                  disk.
          --keep-events-for <duration>
                                  The minimum time to keep events: seconds, or for
                                  example 7d, 12h, 30m, forever. (default: 7d)
          --keep-events <count>   The minimum number of the newest events to keep.
                                  (default: 1000)
          --keep-records-for <duration>
                                  The minimum time to keep records of what ended.
                                  (default: 30d)
          --archive <directory>   Write events to a file in this directory before they
                                  are deleted; import reads such files.
          --fold-only             Only fold events into the snapshot; delete no event
                                  and remove no record.
          --progress              Report progress on standard error, even if that is
                                  not a terminal.
          --format <format>       The format of the output. (values: table, json,
                                  jsonl; default: table)
          --version               Show the version.
          -h, --help              Show help information.


        """)
  }
}
